"""A proxy that repairs the replies of any model server, with a page that shows what was changed."""

from importlib.util import find_spec

from zkit.errors import MissingExtraError

if any(find_spec(name) is None for name in ("starlette", "uvicorn", "httpx2")):
    raise MissingExtraError("proxy", "the proxy")

from zkit.proxy.proxy_app import make_app, serve
from zkit.proxy.proxy_settings import ProxySettings, Upstream

__all__ = ["ProxySettings", "Upstream", "make_app", "serve"]

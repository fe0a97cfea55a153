"""`python -m zkit` is the command `zkit`."""

from zkit.cli.main import main

if __name__ == "__main__":
    main()

"""What takes no search: each short way is judged by the strict parser."""

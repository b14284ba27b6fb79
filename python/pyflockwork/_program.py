"""The command line, as the script ``flockwork``."""

import os
import signal
import sys


def main() -> int:
    """Run the program with the arguments of this process."""
    # Python's own handler would wait until the program returns. The program listens for Ctrl-C itself, unless it was
    # started to ignore it.
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux" and not os.path.isabs(os.environ.get("XDG_RUNTIME_DIR", "")):
        # Without a folder of this name libwayland prints an error at each start.
        os.environ["XDG_RUNTIME_DIR"] = "/dev/null"
    from ._native import program

    return program(["flockwork", *sys.argv[1:]])

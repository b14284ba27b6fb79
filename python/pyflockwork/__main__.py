"""``python -m pyflockwork`` is the command line."""

import sys

from ._program import main

if __name__ == "__main__":
    sys.exit(main())

"""Starts the language server as the extension ships it: any Python from 3.10 on, nothing to install.

The oldest Python 3 must be able to read this file, or it could not say that it is too old.
"""

import os
import sys


def main():
    """Run the server, or say in one sentence why this Python cannot."""
    if sys.version_info < (3, 10):  # noqa: UP036
        sys.stderr.write(
            "%s is Python %d.%d, and shapewise needs 3.10 or newer. Set shapewise.interpreter to your Python.\n"  # noqa: UP031
            % (sys.executable, sys.version_info[0], sys.version_info[1])
        )
        sys.exit(2)
    server = os.path.dirname(os.path.abspath(__file__))
    libs = os.path.join(os.path.dirname(server), "bundled", "libs")
    # The Python's own packages come last: another pygls that lives there must not win.
    sys.path[:0] = [server] + [libs] * os.path.isdir(libs)

    from shapewise.lsp.main import main as serve

    serve()


if __name__ == "__main__":
    main()

"""`python -m edgetape doctor`: finds out why the service cannot be reached, or how fast it is."""

from __future__ import annotations

import argparse
import os
import sys
from typing import List, Optional

from . import __version__
from .doctor import examine


def main(arguments: Optional[List[str]] = None) -> int:
    """Runs the command line and returns the exit status: 0 when every base URL works."""
    parser = argparse.ArgumentParser(prog="python -m edgetape", description=__doc__)
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    doctor = commands.add_parser(
        "doctor", help="checks each base URL: name resolution, proxy, TLS, service, clock, speed and key"
    )
    doctor.add_argument(
        "--url", action="append", help="a base URL; may be repeated; default EDGETAPE_URL"
    )
    doctor.add_argument("--key", default=os.environ.get("EDGETAPE_KEY"), help="the API key; default EDGETAPE_KEY")
    given = parser.parse_args(arguments)
    urls = given.url or os.environ.get("EDGETAPE_URL", "").split(",")
    return examine([url for url in urls if url.strip()], given.key or None)


if __name__ == "__main__":
    sys.exit(main())

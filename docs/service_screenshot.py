"""Take the picture of the live page, service.png: `python docs/service_screenshot.py`.

It starts the demo, lets it play for a while and needs playwright and Chromium.
"""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

PLAY = 95.0  # seconds, half of the demo's 90 days
WIDTH, HEIGHT = 1200, 1300


def main() -> None:
    """Play, look, and write the picture beside this file."""
    costream = str(Path(sys.executable).with_name("costream"))
    with tempfile.TemporaryDirectory() as folder:
        command = [costream, "serve", "--dir", f"{folder}/demo", "--demo", "--port", "0"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                assert process.stderr is not None
                found = (re.search(r"serving .* at (http://\S+)", line) for line in process.stderr)
                url = next(one[1] for one in found if one)
                time.sleep(PLAY)
                photograph(url, Path(__file__).with_name("service.png"))
            finally:
                process.terminate()


def photograph(url: str, path: Path) -> None:
    """The page as it stands, once it is live."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(url)
        page.locator("#state.live").wait_for()
        page.screenshot(path=path)
        browser.close()


if __name__ == "__main__":
    main()

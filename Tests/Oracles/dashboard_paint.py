"""Opens every screen of a dashboard in Debian's Chromium, and prints when it was painted, one line for each.

usage: dashboard_paint.py ADDRESS [PATH ...]; by default the paths of the navigation.

A line has the path, and the milliseconds from the start of the navigation to the first paint with content, to the first
part of the screen, and to the last one.
"""

import os
import sys

import dashboard

# The page's policy forbids scripts that are made of texts, so that playwright's own way of waiting fails in it.
PAINTED = """new Promise(done => {
  const look = () => {
    const painted = performance.getEntriesByName('first-contentful-paint')[0];
    const isWhole = painted && window.firstPart && !document.querySelector('main [data-late]');
    isWhole ? done([painted.startTime, window.firstPart, performance.now()]) : setTimeout(look, 2);
  };
  look();
})"""
# From before the page's own script, so that nothing is missed.
WATCH = """new MutationObserver((_, observer) => {
  if (!document.querySelector('main [data-part] > *')) return;
  observer.disconnect();
  requestAnimationFrame(() => { window.firstPart = performance.now(); });
}).observe(document, { childList: true, subtree: true });"""


def run(address, paths):
    from playwright.sync_api import sync_playwright

    origin = address.split("/#")[0]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
        page.add_init_script(WATCH)
        page.goto(address)
        page.wait_for_selector("main [data-part]", state="attached")
        # What the browser and the daemon do once is over before anything is measured.
        page.wait_for_selector("main [data-late]", state="detached")
        page.wait_for_timeout(2000)
        paths = paths or page.eval_on_selector_all("nav a", "all => all.map(a => a.getAttribute('href'))")
        for path in paths:
            page.goto(origin + path)
            print(path, *(round(value, 1) for value in page.evaluate(PAINTED)))
        browser.close()


if __name__ == "__main__":
    dashboard.install()
    run(sys.argv[1], sys.argv[2:])

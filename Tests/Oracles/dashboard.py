"""Opens every screen of a dashboard in Debian's Chromium, and prints what is wrong, one line each.

usage: dashboard.py ADDRESS [SCHEME,ZONE,WIDTH ...]; by default light,Europe/London,1440.

A console message, a report of the content security policy, an error of the script, a failed request, a finding of
axe (WCAG 2.0 to 2.2 AA and best practices), or a page that scrolls sideways is wrong. Without ADDRESS the programs
are only installed.
"""

import os
import sys

# Nothing is written beside this program.
sys.dont_write_bytecode = True

from packages import enter  # noqa: E402

PACKAGES = ["playwright==1.65.0", "axe-playwright-python==0.1.8"]
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def install():
    """Begins again with the packages."""
    if not enter("browser", PACKAGES):
        # The package index is away: nothing is seen, and the caller prints why.
        print(f"not seen: pip cannot install {' '.join(PACKAGES)}")
        sys.exit(0)


def go(page, key, url):
    """To a screen by `g` and its key, which must follow soon: a busy machine may need more than one attempt."""
    from playwright.sync_api import TimeoutError

    for attempt in range(20):
        page.keyboard.press("g")
        page.keyboard.press(key)
        try:
            return page.wait_for_url(url, timeout=5000)
        except TimeoutError:
            if attempt == 19:
                raise


def keys(page, origin, wrong):
    """The page by keyboard alone."""
    press = page.keyboard.press
    press("?")
    if not page.locator("#keys[open]").count():
        wrong("? opens no list of keys")
    press("Escape")
    go(page, "x", f"{origin}/settings*")
    page.wait_for_selector("main h1", state="attached")
    press("/")
    press("x")
    press("p")
    if page.input_value("#found") != "xp" or page.get_attribute("[data-key=p]", "aria-pressed") != "false":
        wrong("keys do not rest while one types")
    page.evaluate("document.activeElement.blur()")
    press("Control+p")
    press("p")
    page.wait_for_selector("#live:has-text('paused')")
    press("p")
    page.wait_for_selector("#live:has-text('live')")
    press("z")
    page.wait_for_selector(".clock:has-text('UTC')")
    page.reload()
    page.wait_for_selector("main h1", state="attached")
    press("Tab")
    if page.evaluate("document.activeElement.getAttribute('href')") != "#main":
        wrong("the first stop is not the link to the content")


def stranger(context, origin, wrong):
    """A tab without the token is shown a field for it, and nothing else."""
    page = context.new_page()
    page.goto(f"{origin}/overview")
    page.wait_for_selector("#token[open]")
    # A browser lets a page keep a dialog open once; the third Escape closes it.
    for _ in range(3):
        page.keyboard.press("Escape")
    page.wait_for_selector("#token[open]")
    if page.locator("[data-part] *").count():
        wrong("a tab without a token shows more than the field for it")
    context.close()


def look(page, axe, wrong):
    """The page that is shown, for whoever cannot see or use it."""
    sideways = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    if sideways > 0:
        wrong(f"the page scrolls sideways by {sideways} px")
    elements = page.evaluate("document.querySelectorAll('*').length")
    if elements > 3000:
        wrong(f"{elements} elements")
    # The library is put in over the debugger, which the page's policy does not concern.
    found = axe.run(page, options={"runOnly": {"type": "tag", "values": TAGS}})
    for violation in found.response["violations"]:
        for node in violation["nodes"][:3]:
            wrong(f"axe {violation['id']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}")


def run(address, cases):
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    axe = Axe()
    origin = address.split("/#")[0]
    faults = []
    seen = 0
    with sync_playwright() as playwright:
        # Root's Chromium has no sandbox; it opens nothing but the dashboard.
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        for scheme, zone, width in cases:
            context = browser.new_context(
                color_scheme=scheme, viewport={"width": int(width), "height": 900}, bypass_csp=False
            )
            page = context.new_page()
            where = ["start"]

            def wrong(text):
                faults.append(f"{'/'.join([scheme, zone, width])} {where[0]}: {text}")

            page.on("console", lambda message: wrong(f"console: {message.text}"))
            page.on("pageerror", lambda error: wrong(f"script: {error}"))
            page.on(
                "response", lambda answer: answer.status >= 400 and wrong(f"{answer.status} for {answer.url}")
            )
            page.goto(address)
            page.wait_for_selector("main [data-part]", state="attached")
            if "#" in page.url:
                wrong("the token stands in the address bar")
            links = page.eval_on_selector_all("nav a", "all => all.map(a => a.getAttribute('href'))")
            for link in links:
                where[0] = link
                page.goto(f"{origin}{link}?zone={zone}")
                page.wait_for_selector("main [data-part]", state="attached")
                page.wait_for_selector("main:not(:has([data-late]))")
                page.wait_for_selector("header .clock")
                seen += 1
                look(page, axe, wrong)
            where[0] = "keys"
            keys(page, origin, wrong)
            context.close()
            stranger(browser.new_context(), origin, wrong)
        browser.close()
    for fault in faults:
        print(fault.replace("\n", " "))
    print(f"{seen} screens seen")


if __name__ == "__main__":
    install()
    if len(sys.argv) > 1:
        run(sys.argv[1], [tuple(case.split(",")) for case in sys.argv[2:]] or [("light", "Europe/London", "1440")])

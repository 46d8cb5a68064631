"""Does an operator's tasks at a dashboard in Debian's Chromium, and prints what is wrong, one line each.

usage: dashboard_tasks.py ADDRESS RACE REVIEW REVIEW

RACE is an id; each REVIEW is the id of an activity with an open review. The first is decided by keyboard alone, the
second in two tabs at once.
"""

import os
import sys

# Nothing is written beside this program.
sys.dont_write_bytecode = True

from dashboard import go, install, look  # noqa: E402


def review(page, origin, activity, wrong):
    """From the overview to the decision and its row in the audit, without a mouse."""
    press = page.keyboard.press
    go(page, "v", f"{origin}/reviews*")
    page.wait_for_selector(f"[data-list] a[href='/reviews/{activity}']")
    for _ in range(10):
        press("j")
        if page.evaluate("document.activeElement.getAttribute('href')") == f"/reviews/{activity}":
            break
    press("Enter")
    page.wait_for_selector("#disqualify", state="attached")
    press("d")
    if page.locator("dialog[open]").count():
        wrong("the key d presses the button")
    press("Enter")
    page.wait_for_selector("#disqualify[open]")
    page.focus("#disqualify textarea")
    page.keyboard.type("an engine, isn't it")
    line = page.inner_text("#disqualify [data-line]")
    for piece in ["settlectl review disqualify --socket=", "--reason='an engine, isn'\\''t it'", f" {activity}"]:
        if piece not in line:
            wrong(f"the line {line} lacks {piece}")
    press("Tab")
    press("Enter")
    # The part with the button is read again, although the focus was in it.
    page.wait_for_selector("#disqualify", state="detached")
    page.wait_for_selector("main:has-text('Currently refused: approve (the activity already has a decision)')")
    if page.evaluate("document.activeElement.id") != "main":
        wrong("the focus is not in the content after a decision")
    go(page, "a", f"{origin}/audit*")
    page.wait_for_selector("main:has-text('review.disqualify')")
    page.wait_for_selector("main:has-text(\"an engine, isn't it\")")
    page.wait_for_selector("main:has-text('dashboard')")


def two_tabs(context, page, address, activity, wrong):
    """The same review decided in two tabs at once: one decision counts, the other tab shows why its own does not."""
    origin, token = address.split("/#")
    other = context.new_page()
    other.goto(f"{origin}/reviews/{activity}#{token}")
    page.goto(f"{origin}/reviews/{activity}")
    tabs = [(page, "approve"), (other, "disqualify")]
    for tab, name in tabs:
        tab.wait_for_selector(f"#{name}", state="attached")
        tab.click(f"[data-opens={name}]")
        tab.fill(f"#{name} textarea", "two at once")
    for tab, name in tabs:
        tab.click(f"#{name} button[value=run]", no_wait_after=True)
    for tab, name in tabs:
        # A decided activity has no such button any more.
        tab.wait_for_function(
            """name => { const dialog = document.getElementById(name);
                 return !dialog?.open || dialog.querySelector('output').textContent.includes('(rule '); }""",
            arg=name,
        )
    refused = [tab.locator("output:has-text('(rule ')").count() for tab, _ in tabs]
    if sum(refused) != 1:
        wrong(f"of two decisions at once, these were refused: {refused}")
    # Whoever was refused sees what has been decided.
    for tab, name in tabs:
        if tab.locator(f"#{name}[open]").count():
            tab.click(f"#{name} [data-closes]")
            tab.evaluate("document.activeElement.blur()")
        tab.wait_for_selector(f"#{name}", state="detached")
    other.close()


def addresses(page, origin, wrong):
    """Zone and filters stay in the address, and the field for an id leads to its screen."""
    page.goto(f"{origin}/settings?zone=Asia/Tokyo")
    page.wait_for_selector(".clock:has-text('JST')")
    go(page, "l", f"{origin}/ledger?zone=Asia%2FTokyo")
    page.wait_for_selector(".clock:has-text('JST')")
    page.click("main a:has-text('deposit')")
    page.wait_for_url("**/ledger?*kind=deposit*")
    page.wait_for_selector("main [name=race]")
    page.fill("main [name=race]", "42")
    page.press("main [name=race]", "Enter")
    page.wait_for_url("**race=42*")
    page.wait_for_selector(".clock:has-text('JST')")
    if "kind=deposit" not in page.url or "Tokyo" not in page.url:
        wrong(f"a form forgets the other filters or the zone: {page.url}")
    page.goto(f"{origin}/settings?zone=Mars/Olympus")
    page.wait_for_selector("header .pill:has-text('Mars/Olympus')")
    page.goto(f"{origin}/settings?zone=")
    page.wait_for_selector(".clock")
    for text, path in [("athlete 42", "athletes"), ("7", "races"), ("review 7", "reviews")]:
        page.keyboard.press("/")
        page.fill("#found", text)
        page.press("#found", "Enter")
        page.wait_for_url(f"{origin}/{path}/*")
        page.wait_for_selector("main h1", state="attached")


def renewal(page, origin):
    """A part whose answer does not come keeps no other part from being renewed, nor what is typed from its preview."""
    page.goto(f"{origin}/schedules")
    page.wait_for_selector("main [name=cron]")
    page.fill("main [name=cron]", "5 4 * * *")
    page.wait_for_selector("[data-part='schedules/preview']:has-text('5 4 * * *')")
    held = []
    page.route("**/part/schedules/list*", lambda route: held.append(route))
    page.evaluate("document.activeElement.blur()")
    with page.expect_request("**/part/schedules/preview*cron=5*zone=UTC*"):
        page.keyboard.press("z")
    page.wait_for_selector("[data-part='schedules/preview']:has-text('5 4 * * *')")
    for _ in range(3):
        with page.expect_response("**/part/header/state*"):
            pass
    page.keyboard.press("z")
    page.unroute_all(behavior="ignoreErrors")


def lost_answer(page, origin, wrong):
    """A change whose answer is lost is asked again under its request id, also after the page was loaded again."""
    ids = []

    def lose(route):
        ids.append(route.request.headers["x-request-id"])
        route.abort() if len(ids) < 3 else route.continue_()

    page.route("**/command/set", lose)
    for attempt in range(2):
        page.goto(f"{origin}/settings/racing.flag_threshold")
        page.click("[data-opens=set]")
        page.fill("#set [name=value]", "7")
        page.fill("#set textarea", "a test")
        page.click("#set button[value=run]")
        if attempt == 0:
            page.wait_for_selector("#set output:has-text('No response')")
            page.click("#set button[value=run]")
            page.wait_for_selector("#set form:not([aria-busy])")
    page.wait_for_selector("#set:not([open])", state="attached")
    page.wait_for_selector("#said:has-text('set done')", state="attached")
    if len(ids) != 3 or len(set(ids)) != 1 or not ids[0].startswith("dashboard:"):
        wrong(f"the request ids of one change: {ids}")
    page.click("[data-opens=set]")
    page.fill("#set [name=value]", "8")
    page.fill("#set textarea", "another")
    page.click("#set button[value=run]")
    page.wait_for_selector("#set:not([open])", state="attached")
    if len(set(ids)) != 2:
        wrong(f"the request ids of two changes: {ids}")
    page.unroute_all(behavior="ignoreErrors")


def run(address, race, first, second):
    from axe_playwright_python.sync_playwright import Axe
    from playwright.sync_api import sync_playwright

    axe = Axe()
    origin = address.split("/#")[0]
    faults = []
    with sync_playwright() as playwright:
        # Root's Chromium has no sandbox; it opens nothing but the dashboard.
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        context = browser.new_context(viewport={"width": 1440, "height": 900})
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.goto(address)
        page.wait_for_selector("main [data-part]", state="attached")
        for path in [f"/races/{race}", f"/reviews/{first}"]:
            page.goto(origin + path)
            page.wait_for_selector("main [data-part]", state="attached")
            look(page, axe, lambda text: faults.append(f"{path}: {text}"))
        review(page, origin, first, faults.append)
        two_tabs(context, page, address, second, faults.append)
        addresses(page, origin, faults.append)
        renewal(page, origin)
        lost_answer(page, origin, faults.append)
        browser.close()
    for fault in faults:
        print(fault.replace("\n", " "))
    print("tasks done")


if __name__ == "__main__":
    install()
    run(*sys.argv[1:])

"""The page of all rules and commands: each name, and the pages that describe it."""

import glob
import html
import os
import re

TITLE = "Rules and commands"
ABSTRACT = "Each command, key, setting, refusal rule, function and metric, with the pages that describe it."


def texts(repository, pattern):
    for path in sorted(glob.glob(os.path.join(repository, pattern), recursive=True)):
        with open(path, encoding="utf-8") as file:
            yield file.read()


def swift_text(literal):
    """A string literal of Swift as its readers see it, with ... for each value that is filled in."""
    text = re.sub(r"\\\([^()]*(?:\([^()]*\)[^()]*)*\)", "...", literal)
    return re.sub(r"\\\(.*", "...", text).replace('\\"', '"')


class Names:
    def __init__(self, site):
        self.site = site
        # Of each page the first section that has a name, by the name.
        self.places = {}
        self.statuses = {}

    def place(self, name, page, anchor, heading):
        self.places.setdefault(name, {}).setdefault(page.path, (page, anchor, heading))

    def pages(self, name):
        return ", ".join(
            f'<a href="{html.escape(page.path + ("#" + anchor if anchor else ""))}">{html.escape(label)}</a>'
            for page, anchor, heading in self.places.get(name, {}).values()
            for label in [f"{page.title}: {heading}" if anchor and heading != "Overview" else page.title])

    def table(self, title, kind, columns, rows):
        """A section with a table. A row begins with its name and the link of its reference; `kind` begins the anchors."""
        def name(row):
            code = f"<code>{html.escape(row[0])}</code>"
            return f'<a href="{html.escape(row[1])}">{code}</a>' if row[1] else code

        head = "".join(f'<th scope="col">{column}</th>' for column in columns)
        body = "".join(
            f'<tr id="{kind}-{html.escape(row[0].replace(" ", "-"))}"><td>{name(row)}</td>'
            + "".join(f"<td>{cell}</td>" for cell in row[2:]) + "</tr>\n" for row in rows)
        return (f'<h2 id="{title.replace(" ", "-")}">{title}</h2>\n<div class="wide" tabindex="0"><table><thead><tr>{head}'
                f"</tr></thead><tbody>\n{body}</tbody></table></div>\n")

    def body(self):
        self.read_pages()
        return (f'<p class="lead">{ABSTRACT}</p>\n' + self.commands() + self.keys() + self.settings() + self.rules()
                + self.functions() + self.metrics())

    def read_pages(self):
        """Finds the code spans of all pages, and the refusal rules among them. The changelog describes none of them."""
        for page in self.site.pages:
            if page is self.site.changelog:
                continue
            for anchor, heading, markup in page.sections():
                for code in re.findall(r"<code>([^<]*)</code>", markup):
                    self.place(html.unescape(code), page, anchor, heading)
                for table in re.findall(r"<table>.*?</table>", markup, flags=re.S):
                    self.read_table(table, page, anchor, heading)
                said = r"(?:\bSD(\d{3})|\b([45]\d\d)|\brules?) <code>([a-z-]+)</code>"
                for state, status, rule in re.findall(said, re.sub(r"\s+", " ", markup)):
                    self.rule(rule, state or status, page, anchor, heading)

    def read_table(self, table, page, anchor, heading):
        rows = [re.findall(r"<t[hd]\b[^>]*>(.*?)</t[hd]>", row, flags=re.S) for row in table.split("</tr>")]
        if not rows or "rule" not in rows[0]:
            return
        at, codes = rows[0].index("rule"), [n for n, head in enumerate(rows[0]) if head == "SQLSTATE"]
        status = re.search(r"\b[45]\d\d\b", heading or "")
        for row in rows[1:]:
            for rule in re.findall(r"<code>([A-Za-z._-]+)</code>", row[at] if len(row) > at else ""):
                self.rule(rule, row[codes[0]][2:] if codes else status[0] if status else "", page, anchor, heading)

    def rule(self, rule, status, page, anchor, heading):
        self.place(("rule", rule), page, anchor, heading)
        if status:
            self.statuses.setdefault(rule, set()).add(status)

    def commands(self):
        made = ""
        for page in self.site.manual:
            rows = []
            for section, anchor, term, text in page.entries:
                if "COMMANDS" not in section:
                    continue
                level = re.search(r" \[(read|operate|admin)\]", text)
                first = re.split(r"(?<=[.;]) ", text.replace(level[0], "") if level else text)[0].rstrip(";")
                levels = [level[1]] if level else []
                rows.append((term, f"{page.path}#{anchor}", *levels, html.escape(first)))
            columns = ("command", "what it does") if rows and len(rows[0]) == 3 else ("command", "level", "what it does")
            if rows:
                made += self.table(f"Commands of {page.name}", "command", columns, sorted(rows))
        return made

    def keys(self):
        made = ""
        for page in self.site.manual:
            rows = [
                (term, f"{page.path}#{anchor}", self.pages(term))
                for section, anchor, term, _ in page.entries if section == "KEYS"]
            if rows:
                made += self.table(f"Keys of {page.title}", page.name, ("key", "pages"), sorted(rows))
        return made

    def settings(self):
        """As each settings.sql declares them: key, kind, default, bounds, meaning."""
        declared = r"\(\s*'(\w+\.\w+)',\s*'\w+',\s*'([^']*)',\s*[\w.]+,\s*[\w.]+,\s*'((?:[^']|'')*)'\s*\)"
        rows = [
            (key, "", f"<code>{html.escape(default)}</code>", html.escape(meaning.replace("''", "'")), self.pages(key))
            for text in texts(self.site.repository, "sql/functions/*/settings.sql")
            for key, default, meaning in re.findall(declared, text)]
        return self.table("Settings", "setting", ("setting", "default", "meaning", "pages"), sorted(rows))

    def rules(self):
        """Daemon.docc/Refusals.md has every rule of the sources: a test compares them."""
        rows = [
            (rule, "", ", ".join(sorted(statuses)), self.pages(("rule", rule)))
            for rule, statuses in sorted(self.statuses.items())]
        note = "<p>A code is the status over HTTP. In SQL it stands behind SD: the SQLSTATE SD409 is the status 409.</p>\n"
        return self.table("Refusal rules", "rule", ("rule", "codes", "pages"), rows).replace("</h2>\n", "</h2>\n" + note, 1)

    def functions(self):
        """Those of the contract, and the others that a page names."""
        contract = set()
        for text in texts(self.site.repository, "sql/functions/**/*.sql"):
            for schema, declared in re.findall(r"declare_callers\('(\w+)',(.*?)\);", text, flags=re.S):
                for names in re.findall(r"contract => '\{([^}]*)\}'", declared):
                    contract.update(f"{schema}.{name.strip()}()" for name in names.split(","))
        named = {name for name in self.places if isinstance(name, str) and re.fullmatch(r"[a-z]+\.\w+\(\)", name)}
        rows = [(name, "", "apps" if name in contract else "", self.pages(name)) for name in sorted(contract | named)]
        return self.table("SQL functions", "function", ("function", "callers", "pages"), rows)

    def metrics(self):
        """As the programs' source has them: the name, and the text of HELP."""
        declared = r'"(settled_\w+)",\s*(?:"(?:gauge|counter|histogram)",\s*)?"([^"]+\.)"'
        rows = {
            name: (name, "", html.escape(swift_text(meaning)), self.pages(name))
            for text in texts(self.site.repository, "Sources/**/*.swift") for name, meaning in re.findall(declared, text)}
        return self.table("Metrics", "metric", ("metric", "meaning", "pages"), [rows[name] for name in sorted(rows)])

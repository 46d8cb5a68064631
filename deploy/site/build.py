"""Builds the site: build.py REPOSITORY DIRECTORY. See deploy/docs."""

import glob
import html
import json
import os
import posixpath
import re
import shutil
import subprocess
import sys

import check
import names
from pages import Broken, ManualPage, MarkdownPage, plain

OWN = os.path.dirname(os.path.abspath(__file__))
# A section of the contents has the catalogues that it names, and each group of topics of any catalogue that is called
# like it. All other catalogues are in the last one.
SECTIONS = {
    "For operators": ["Daemon", "ControlServer", "Accounts"],
    "For app developers": ["Gateway"],
    "The systems": ["Racing", "CheckIns", "Seasons", "Achievements", "Strava"],
    "The inside": [],
}
KEYWORDS = "deploy/site/keywords.txt"
FRAME = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="stylesheet" href="{root}style.css">{scripts}
</head>
<body>
<header>
<a class="skip" href="#main">Skip to the content</a>
<nav aria-label="Site"><a href="{root}index.html">settled</a> <a href="{root}rules.html">Rules and commands</a></nav>
<form role="search" action="{root}search.html"><label>Search <input type="search" name="q"></label> <button>Find</button></form>
</header>
<main id="main">
{above}<h1>{heading}</h1>
{body}
</main>
{below}</body>
</html>
"""


class Site:
    def __init__(self, repository, directory):
        self.repository, self.directory = repository, directory
        sources = [os.path.relpath(path, repository) for path in sorted(glob.glob(f"{repository}/Sources/*/*.docc/*.md"))]
        articles = [MarkdownPage(repository, each, self.place(each)) for each in sources]
        self.readme = MarkdownPage(repository, "README.md", "README.html")
        self.readme.title = "About settled"
        self.sql = MarkdownPage(repository, "sql/README.md", "sql/README.html")
        manual = [os.path.relpath(path, repository) for path in sorted(glob.glob(f"{repository}/deploy/man/*.[1-8]"))]
        self.manual = [ManualPage(repository, each, f"man/{posixpath.basename(each)}.html") for each in manual]
        self.changelog, self.security, self.contributing = (
            MarkdownPage(repository, source, posixpath.basename(source).replace(".md", ".html"))
            for source in ("deploy/CHANGELOG.md", ".github/SECURITY.md", ".github/CONTRIBUTING.md"))
        self.pages = [self.readme] + articles + self.manual + [self.sql, self.changelog, self.security, self.contributing]
        self.built = {page.path for page in self.pages} | {"index.html", "rules.html", "search.html"}
        self.by_source = {page.source: page for page in self.pages}
        self.roots = {page.source.split("/")[1]: page for page in articles if "@TechnologyRoot" in page.text}
        self.copies = set()

    @staticmethod
    def place(source):
        _, module, _, name = source.split("/")
        return f"{module}/{name.removesuffix('.md')}.html"

    def copy(self, source):
        """The place of a picture in the site, beside the pages of its catalogue."""
        place = self.place(source + ".md").removesuffix(".html")
        self.copies.add((source, place))
        return place

    def groups(self, module):
        """The groups of a catalogue's topics: title and pages. A page that no group has is in one without a title."""
        root = self.roots[module]
        topics = root.text.partition("\n## Topics\n")[2]
        groups = []
        for part in re.split(r"(?m)^### ", topics)[1:]:
            title, _, rest = part.partition("\n")
            groups.append((title, [
                self.by_source[f"{posixpath.dirname(root.source)}/{name}.md"]
                for name in re.findall(r"(?m)^- <doc:([\w-]+)>", rest)]))
        listed = [root] + [page for _, pages in groups for page in pages]
        others = [page for page in self.pages if page.path.startswith(f"{module}/") and page not in listed]
        return groups + [("", others)] if others else groups

    def contents(self):
        """The sections: title, and parts of a title, its page and pages."""
        start = [page for page in [self.readme, self.by_source.get("Sources/Engine/Engine.docc/Design.md")] if page]
        named = {module for modules in SECTIONS.values() for module in modules}
        sections = [("Start here", [("", None, start)])]
        for section, modules in SECTIONS.items():
            parts = []
            own = [module for module in modules or sorted(set(self.roots) - named) if module in self.roots]
            for module in own + sorted(set(self.roots) - set(own)):
                root = self.roots[module]
                pages = [
                    page for title, pages in self.groups(module) for page in pages
                    if page not in start and (title == section or module in own and title not in SECTIONS)]
                if module in own:
                    parts.append((root.title, root, pages))
                elif pages:
                    parts.append((f"From {root.title}", None, pages))
            if section == "For operators":
                parts.append(("Manual pages", None, self.manual))
                parts.append(("Releases and faults", None, [self.changelog, self.security]))
            if section == "The inside":
                parts.append(("The repository", None, [self.contributing, self.sql]))
            sections.append((section, parts))
        return sections

    def build(self):
        for page in self.pages:
            page.finish(self)
        sections = self.contents()
        order = []
        for _, parts in sections:
            for _, root, pages in parts:
                order += ([root] if root else []) + pages
        lost = [page.source for page in self.pages if order.count(page) != 1]
        if lost:
            raise Broken(f"not once in the contents: {', '.join(lost)}")
        os.makedirs(self.directory)
        for place, page in enumerate(order):
            before, after = order[place - 1] if place else None, order[place + 1] if place + 1 < len(order) else None
            self.write(page.path, page.title, page.body, self.way(page), self.ways(page, before, after))
        self.write("index.html", "The documentation of settled", self.contents_body(sections))
        self.write("rules.html", names.TITLE, names.Names(self).body())
        self.write("search.html", "Search", (
            '<p id="found" role="status"></p>\n<ol id="results"></ol>\n<noscript><p>The search needs a browser with'
            ' scripts. <a href="rules.html">Rules and commands</a> lists each name, and <a href="index.html">the'
            " contents</a> each page.</p></noscript>"), scripts=["search-index.js", "search.js"])
        self.write_index(order)
        for name in ("style.css", "search.js"):
            shutil.copy(os.path.join(OWN, name), self.directory)
        for source, place in self.copies:
            shutil.copyfile(os.path.join(self.repository, source), os.path.join(self.directory, place))
        return list(check.problems(self.directory))

    def write(self, path, title, body, above="", below="", scripts=()):
        root = "../" * path.count("/")
        loaded = "".join(f'\n<script defer src="{root}{name}"></script>' for name in scripts)
        heading = html.escape(title, quote=False)
        name = heading if "settled" in title else f"{heading} - settled"
        place = os.path.join(self.directory, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(FRAME.format(
                title=name, root=root, scripts=loaded, above=above, heading=heading, body=self.with_sections(body).strip(), below=below))

    def way(self, page):
        """Where a page of a catalogue belongs."""
        root = self.roots.get(page.path.split("/")[0])
        if not root or root is page:
            return ""
        return f'<p class="way"><a href="{page.to(root.path)}">{html.escape(root.title, quote=False)}</a></p>\n'

    @staticmethod
    def with_sections(body):
        """A long page has the list of its sections below its first paragraph."""
        found = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body, flags=re.S)
        if len(found) < 4:
            return body
        items = "".join(f'<li><a href="#{anchor}">{html.escape(plain(text), quote=False)}</a></li>\n' for anchor, text in found)
        nav = f'<nav class="sections" aria-label="Sections of this page"><ul>\n{items}</ul></nav>\n'
        lead = re.match(r'\s*<p class="lead">.*?</p>\n', body, flags=re.S)
        place = lead.end() if lead else 0
        return body[:place] + nav + body[place:]

    @staticmethod
    def ways(page, before, after):
        links = [
            f'{word}: <a href="{page.to(other.path)}">{html.escape(other.title, quote=False)}</a>'
            for word, other in (("Before", before), ("Next", after)) if other]
        return f'<footer><nav aria-label="Pages before and after">{" · ".join(links)}</nav></footer>\n'

    def contents_body(self, sections):
        made = ['<p class="lead">The pages for operators, for app developers, and for those who change the code.</p>']
        for title, parts in sections:
            made.append(f'<section>\n<h2 id="{title.replace(" ", "-")}">{title}</h2>')
            for part, root, pages in parts:
                if part:
                    made.append(f"<h3>{self.entry(root) if root else html.escape(part)}</h3>")
                if root:
                    made.append(f"<p>{plain_markup(root.abstract)}</p>")
                items = "".join(f"<li>{self.entry(page)}: {plain_markup(page.abstract)}</li>\n" for page in pages)
                if title == "Start here":
                    items += f'<li><a href="rules.html">{names.TITLE}</a>: {names.ABSTRACT}</li>\n'
                if items:
                    made.append(f"<ul>\n{items}</ul>")
            made.append("</section>")
        return "\n".join(made)

    @staticmethod
    def entry(page):
        return f'<a href="{html.escape(page.path)}">{html.escape(page.title, quote=False)}</a>'

    def keywords(self):
        """Words that find a section although its text does not have them, by its link: a line for each section."""
        path = os.path.join(self.repository, KEYWORDS)
        if not os.path.exists(path):
            return {}
        with open(path, encoding="utf-8") as file:
            return dict(line.strip().split(" ", 1) for line in file)

    def write_index(self, order):
        """The search index, one line for each section: link, title, heading, text, keywords."""
        keywords, lines = self.keywords(), []
        for page in order:
            for anchor, heading, markup in page.sections():
                link = page.path + ("#" + anchor if anchor else "")
                row = [link, page.title, heading, plain(markup), keywords.pop(link, "")]
                lines.append(json.dumps(row, ensure_ascii=False))
        if keywords:
            raise Broken(f"{KEYWORDS}: there is no section {', '.join(keywords)}")
        with open(os.path.join(self.directory, "search-index.js"), "w", encoding="utf-8") as file:
            file.write("var settledIndex = [\n" + ",\n".join(lines) + "\n];\n")


def plain_markup(markup):
    """The text and the code of a piece of HTML, without its links."""
    return re.sub(r"</?a\b[^>]*>", "", markup)


def main(repository, directory):
    repository, directory = os.path.abspath(repository), os.path.abspath(directory)
    if os.path.isdir(directory) and os.listdir(directory) and not os.path.exists(f"{directory}/search-index.js"):
        sys.exit(f"settled: {directory} has other files")
    shutil.rmtree(directory, ignore_errors=True)
    try:
        found = Site(repository, directory).build()
    except Broken as broken:
        found = [str(broken)]
    for each in found:
        print(f"settled: {each}", file=sys.stderr)
    if found:
        sys.exit(1)
    print(f"{directory}/index.html")


main(*sys.argv[1:])

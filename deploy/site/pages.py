"""The sources of the site as pages: titles, sections, and HTML whose links are resolved."""

import html
import os
import posixpath
import re
import subprocess


class Broken(Exception):
    """A source that cannot become a page: the message names the source and what is wrong there."""


def run(*command, text=""):
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", check=True)
    return done.stdout


def plain(markup):
    """The text of a piece of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", markup)).split())


class Page:
    """A page of the site at `path`, made from the file `source`; both are relative."""

    def __init__(self, repository, source, path):
        self.source, self.path = source, path
        with open(os.path.join(repository, source), encoding="utf-8") as file:
            self.text = file.read()
        self.raw = self.read()
        self.body = None

    def fail(self, problem):
        raise Broken(f"{self.source}: {problem}")

    def to(self, path, anchor=""):
        """The relative link from this page."""
        link = posixpath.relpath(path, posixpath.dirname(self.path) or ".")
        return html.escape(link + ("#" + anchor if anchor else ""))

    def sections(self):
        """Anchor, heading and HTML of each section of the finished page; the first has no anchor."""
        parts = re.split(r'<h[23] id="([^"]*)">(.*?)</h[23]>', self.body, flags=re.S)
        yield "", "", parts[0]
        for anchor, heading, markup in zip(parts[1::3], parts[2::3], parts[3::3]):
            yield html.unescape(anchor), plain(heading), markup


class MarkdownPage(Page):
    """An article of a catalogue, or another Markdown file of the repository."""

    def read(self):
        """HTML as cmark-gfm writes it, with ids as DocC makes them. The title is apart."""
        text = re.sub(r"(?m)^@Metadata \{\n(?:.*\n)*?\}\n", "", self.text)
        for line in re.sub(r"(?ms)^```.*?^```", "", text).splitlines():
            if re.match(r"@[A-Z]", line):
                self.fail(f"the directive {line} is unknown")
        self.anchors, self.version = {}, ""
        raw = run("cmark-gfm", "-e", "table", "-t", "html", text=text)
        raw = re.sub(r"<h([1-6])>(.*?)</h\1>", self.heading, raw, flags=re.S)
        title = re.match(r'\s*<h1 id="[^"]*">(.*?)</h1>\n', raw)
        if not title or "<h1" in raw[title.end():]:
            self.fail("a page begins with its only title")
        self.title, raw = plain(title[1]), raw[title.end():]
        first = re.match(r"<p>(.*?)</p>", raw, flags=re.S)
        self.abstract = first[1] if first else ""
        return raw.replace("<p>", '<p class="lead">', 1)

    def heading(self, match):
        anchor = re.sub(r"\s+", "-", re.sub(r"[`'\"’“”\[\]]", "", plain(match[2])))
        # In the changelog each version has such headings.
        if match[1] == "3" and self.source == "deploy/CHANGELOG.md":
            anchor = f"{self.version}-{anchor}"
        if anchor in self.anchors:
            self.fail(f"two headings are called {anchor}")
        if match[1] == "2":
            self.version = anchor
        self.anchors[anchor] = match[2]
        return f'<h{match[1]} id="{html.escape(anchor)}">{match[2]}</h{match[1]}>'

    def finish(self, site):
        self.body = Resolver(self, site).resolve(self.raw)


class ManualPage(Page):
    """A manual page, as mandoc writes it."""

    def read(self):
        raw = run("mandoc", "-K", "utf-8", "-T", "html", "-O", "fragment", text=self.text)
        raw = raw[raw.index("<section"):raw.rindex("</section>")]
        least = min(int(level) for level in re.findall(r"<h([1-6])", raw))
        raw = re.sub(r"(</?)h([1-6])(?: class=\"\w+\")?", lambda m: f"{m[1]}h{int(m[2]) - least + 2}", raw)
        raw = re.sub(r'(<h\d id="[^"]*">)<a class="permalink"[^>]*>(.*?)</a>(</h\d>)', r"\1\2\3", raw, flags=re.S)
        raw = re.sub(r"</?section[^>]*>\n?", "", raw)
        self.name, self.number = posixpath.basename(self.source).rsplit(".", 1)
        self.title = f"{self.name}({self.number})"
        self.entries = []
        raw = re.sub(r'(?s)(<h\d id="[^"]*">.*?</h\d>)|<dt id="([^"]*)">(.*?)</dt>(\s*<dd>(.*?)</dd>)?', self.entry, raw)
        named = re.search(r"<p[^>]*>[^<]* - (.*?)</p>", raw, flags=re.S)
        if not named:
            self.fail("the page has no NAME")
        abstract = " ".join(named[1].split())
        self.abstract = abstract[0].upper() + abstract[1:] + "."
        self.anchors = {html.unescape(anchor): "" for anchor in re.findall(r' id="([^"]*)"', raw)}
        return raw

    def entry(self, match):
        """Gives a command's entry its name as an anchor, and keeps the entry: section, anchor, term, text."""
        if match[1]:
            self.section = plain(match[1])
            return match[0]
        term = re.match(r"\s*<a [^>]*><b>(.*?)</b>", match[3], flags=re.S)
        term = plain(term[1]) if term else ""
        is_command = term.startswith(self.name + " ")
        anchor = term.replace(" ", "-") if is_command else html.unescape(match[2])
        if is_command or (self.section == "KEYS" and re.fullmatch("[a-z_]+", term)):
            self.entries.append((self.section, anchor, term, plain(match[5] or "")))
        return match[0].replace(f'"{match[2]}"', f'"{anchor}"').replace(f'"#{match[2]}"', f'"#{anchor}"')

    def finish(self, site):
        self.body = Resolver(self, site).resolve(re.sub(r"<b>([\w.-]+)</b>(?=\(\d\))", r"\1", self.raw))


class Resolver:
    """Resolves the links of one page, and the pages that its text names: settled(8), Engine.docc/Locks.md, and their
    places in the package settled-doc."""

    def __init__(self, page, site):
        self.page, self.site = page, site
        names = "|".join(re.escape(each.title) for each in site.manual) or "(?!)"
        self.cited = re.compile(
            rf"(?P<manual>\b(?:{names}))|(?:/usr/share/doc/settled-doc/html/(?P<built>[\w./-]+\.html))"
            r"|(?P<page>\w+\.docc/[\w-]+\.md|sql/README\.md|deploy/CHANGELOG\.md|\.github/\w+\.md)"
            r"(?:, &quot;(?P<section>[^&]+)&quot;)?")

    def resolve(self, raw):
        made, inside, topics, end = [], [], False, -1
        tokens = re.split(r"(<[^>]*>)", raw)
        for place, token in enumerate(tokens):
            tag = re.match(r"<(/?)(\w+)", token)
            if place <= end:
                continue
            if not tag:
                made.append(self.text(token, inside))
                continue
            name, is_end = tag[2], bool(tag[1])
            if name == "a":
                end = tokens.index("</a>", place)
                made.append(self.anchor(token, "".join(tokens[place + 1:end]), topics))
                continue
            if is_end:
                inside.remove(name)
            elif not token.endswith("/>"):
                inside.append(name)
            if name == "h2" and not is_end:
                topics = 'id="Topics"' in token
            made.append(self.picture(token) if name == "img" else self.dressed(token, name, is_end))
        return "".join(made)

    def anchor(self, tag, markup, topics):
        href = html.unescape(re.search(r' href="([^"]*)"', tag)[1])
        if href.startswith("doc:"):
            return self.article(href[4:], topics)
        if re.match("https?:", href):
            return f"{tag}{markup}</a>"
        if href.startswith("#"):
            self.link(self.page, href[1:], "")
            return f"{tag}{markup}</a>"
        return self.file_link(href, markup)

    def link(self, target, anchor, text):
        if anchor and anchor not in target.anchors:
            self.page.fail(f"{target.source} has no section {anchor}")
        return f'<a href="{self.page.to(target.path, anchor)}">{text}</a>'

    @staticmethod
    def label(target, anchor):
        title = html.escape(target.title, quote=False)
        return f"{title}, “{target.anchors.get(anchor, anchor)}”" if anchor else title

    def article(self, target, topics):
        """`<doc:Page#Section>`: the titles of both are the text, and in a list of topics the abstract follows."""
        name, _, anchor = target.partition("#")
        found = self.site.by_source.get(f"{posixpath.dirname(self.page.source)}/{posixpath.basename(name)}.md")
        if not found:
            self.page.fail(f"<doc:{target}> leads nowhere")
        link = self.link(found, anchor, self.label(found, anchor))
        return f"{link}: {Resolver(self.page, self.site).resolve(found.abstract)}" if topics else link

    def file_link(self, href, markup):
        """A link of Markdown to a file of the repository; a file without a page is shown by its name."""
        path, _, anchor = href.partition("#")
        source = posixpath.normpath(posixpath.join(posixpath.dirname(self.page.source), path))
        if source in self.site.by_source:
            target = self.site.by_source[source]
            # GitHub's anchors are in lower case.
            anchor = next((each for each in target.anchors if each.lower() == anchor), anchor)
            return self.link(target, anchor, markup)
        if source.startswith(("/", "..")) or not os.path.exists(os.path.join(self.site.repository, source)):
            self.page.fail(f"{href} leads nowhere")
        return f"<code>{markup}</code>"

    def picture(self, token):
        name = html.unescape(re.search(r' src="([^"]*)"', token)[1])
        source = posixpath.normpath(posixpath.join(posixpath.dirname(self.page.source), name))
        if not os.path.exists(os.path.join(self.site.repository, source)):
            self.page.fail(f"the picture {name} is not there")
        return re.sub(r' src="[^"]*"', f' src="{self.page.to(self.site.copy(source))}"', token)

    def text(self, text, inside):
        if {"pre", "h2", "h3", "h4"}.intersection(inside):
            return text
        return self.cited.sub(self.citation, text)

    def citation(self, match):
        if match["manual"]:
            page = next(each for each in self.site.manual if each.title == match["manual"])
            return match[0] if page is self.page else self.link(page, "", match[0])
        if match["built"]:
            if match["built"] not in self.site.built:
                self.page.fail(f"{match[0]} is not there")
            return f'<a href="{self.page.to(match["built"])}">{match[0]}</a>'
        cited = match["page"]
        found = self.site.by_source.get(f"Sources/{cited.split('.')[0]}/{cited}" if ".docc/" in cited else cited)
        if not found:
            self.page.fail(f"{cited} is not there")
        anchor = (match["section"] or "").replace(" ", "-")
        return self.link(found, anchor, self.label(found, anchor))

    @staticmethod
    def dressed(token, name, is_end):
        """Tables and listings that are wider than the screen scroll, also by keyboard."""
        if name == "table":
            return "</table></div>" if is_end else '<div class="wide" tabindex="0">' + token
        if name == "pre" and not is_end:
            return token.replace("<pre", '<pre tabindex="0"', 1)
        return token.replace("<th", '<th scope="col"', 1) if name == "th" and not is_end else token

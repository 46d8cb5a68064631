"""Checks the links of a built site: each leads to a file of the site and to an anchor in it, and none is absolute."""

import os
import posixpath
import re
from html.parser import HTMLParser
from urllib.parse import unquote


class Links(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.headings = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.headings += tag == "h1"
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "action", "srcset", "data"):
                self.links.append((tag, value))


def problems(directory):
    """One line for each problem of the site in a directory."""
    pages = {}
    for folder, _, names in os.walk(directory):
        for name in names:
            if name.endswith(".html"):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    pages[os.path.relpath(path, directory)] = Links(file.read())
    for path, page in sorted(pages.items()):
        if page.headings != 1:
            yield f"{path}: {page.headings} titles"
        for doubled in sorted({each for each in page.ids if page.ids.count(each) > 1}):
            yield f"{path}: the anchor {doubled} is there twice"
        for tag, link in page.links:
            if tag == "a" and re.match("https?://", link):
                continue
            target, _, anchor = link.partition("#")
            if re.match("[a-z]+:|/", target):
                yield f"{path}: {link} is no relative link"
                continue
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(target))) if target else path
            if not os.path.isfile(os.path.join(directory, file)):
                yield f"{path}: {link} leads to no file"
            elif anchor and file in pages and unquote(anchor) not in pages[file].ids:
                yield f"{path}: {link} leads to no anchor"

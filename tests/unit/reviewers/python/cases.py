"""Small packages whose definitions change and whose users stay as they are: which of these break.

A case is a module before and after, a user, and the rule by which it is found, None where nothing
is broken. All of them stand in one tree, each in a package of its own.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class Case(NamedTuple):
    """`lib` and `user` are modules of one package; `more` are files that do not change."""

    before: str
    after: str | None  # None: the module goes
    user: str
    rule: str | None
    more: Mapping[str, str] = MappingProxyType({})


_F = "def keep_it():\n    return 1\n"
_CLASS = "class Box:\n    def __init__(self, size):\n        self.size = size\n"

BROKEN = {
    "function": Case(f"{_F}def go():\n    pass\n", _F, "from .lib import go\ngo()\n", "import"),
    "renamed_class": Case(
        "class Old:\n    pass\n", "class New:\n    pass\n", "from .lib import Old\n", "import"
    ),
    "constant": Case("LIMIT = 1\nX = 2\n", "X = 2\n", "from .lib import LIMIT as L\n", "import"),
    "module_gone": Case(_F, None, "from . import lib\nprint(lib)\n", "import"),
    "submodule_gone": Case(_F, None, "from submodule_gone.lib import keep_it\n", "import"),
    "attribute_of_module": Case(
        "A = 1\n", "B = 1\n", "from . import lib\nprint(lib.A)\n", "attribute"
    ),
    "imported_elsewhere": Case(
        "from json import dumps\nA = 1\n", "A = 1\n", "from .lib import dumps\n", "import"
    ),
    "through_package": Case(
        "def shown():\n    pass\n",
        "A = 1\n",
        "print(1)\n",
        "import",
        {"__init__.py": "from .lib import shown\n"},
    ),
    "star": Case("def shiny():\n    pass\n", "A = 1\n", "from .lib import *\nshiny()\n", "name"),
    "all": Case(
        "__all__ = ['a', 'b']\na = b = 1\n",
        "__all__ = ['a']\na = b = 1\n",
        "from .lib import *\nprint(b)\n",
        "name",
    ),
    "parameter_added": Case(
        "def f(a):\n    pass\n",
        "def f(a, b):\n    pass\n",
        "from .lib import f\nf(1)\n",
        "arguments",
    ),
    "parameter_gone": Case(
        "def f(a, b=1):\n    pass\n",
        "def f(a):\n    pass\n",
        "from .lib import f\nf(1, 2)\n",
        "arguments",
    ),
    "parameter_renamed": Case(
        "def f(a):\n    pass\n",
        "def f(b):\n    pass\n",
        "from .lib import f\nf(a=1)\n",
        "arguments",
    ),
    "keyword_only": Case(
        "def f(a, b):\n    pass\n",
        "def f(a, *, b):\n    pass\n",
        "from .lib import f\nf(1, 2)\n",
        "arguments",
    ),
    "many_lines": Case(
        "def f(a):\n    pass\n",
        "def f(b):\n    pass\n",
        "from .lib import f\nprint(\n    f(\n        a=1,\n    ),\n)\n",
        "arguments",
    ),
    "constructor": Case(
        _CLASS,
        _CLASS.replace("size)", "size, kind)"),
        "from .lib import Box\nBox(1)\n",
        "arguments",
    ),
    "constructor_added": Case(
        "class Bag:\n    x = 1\n",
        f"class Bag:\n    x = 1\n{_CLASS[11:]}",
        "from .lib import Bag\nBag()\n",
        "arguments",
    ),
    "subclass": Case(
        _CLASS,
        _CLASS.replace("size)", "size, kind)"),
        "from .lib import Box\nclass Small(Box):\n    pass\nSmall(1)\n",
        "arguments",
    ),
    "super": Case(
        _CLASS,
        _CLASS.replace("size)", "size, kind)"),
        "from .lib import Box\nclass Tall(Box):\n    def __init__(self):\n"
        "        super().__init__(1)\n",
        "arguments",
    ),
    "dataclass": Case(
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n",
        "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: int\n",
        "from .lib import P\nP(1)\n",
        "arguments",
    ),
    "method": Case(
        f"{_CLASS}    def open(self):\n        pass\n",
        _CLASS,
        "from .lib import Box\nBox(1).open()\n",
        "attribute",
    ),
    "method_signature": Case(
        f"{_CLASS}    def open(self):\n        pass\n",
        f"{_CLASS}    def open(self, how):\n        pass\n",
        "from .lib import Box\nBox(1).open()\n",
        "arguments",
    ),
    "field": Case(
        _CLASS,
        _CLASS.replace("self.size", "self.width"),
        "from .lib import Box\nprint(Box(1).size)\n",
        "attribute",
    ),
    "untyped": Case(
        "class Pump:\n    def start_pumping(self):\n        pass\n",
        "class Pump:\n    pass\n",
        "from .lib import Pump\ndef f(pump):\n    pump.start_pumping()\n",
        "attribute",
    ),
    "overloads": Case(
        "from typing import overload\n@overload\ndef f(a: int) -> int: ...\n@overload\n"
        "def f(a: str) -> str: ...\ndef f(a):\n    return a\n",
        "def f(a, b):\n    return a\n",
        "from .lib import f\nf(1)\n",
        "arguments",
    ),
    "static": Case(
        "class T:\n    @staticmethod\n    def f(a):\n        pass\n",
        "class T:\n    def f(self, a):\n        pass\n",
        "from .lib import T\nT.f(1)\n",
        "arguments",
    ),
}

HARMLESS = {
    "kept_by_import": Case(
        "def moved():\n    pass\n",
        "from .other import moved\n",
        "from .lib import moved\nmoved()\n",
        None,
        {"other.py": "def moved():\n    pass\n"},
    ),
    "kept_by_star": Case(
        "def moved():\n    pass\n",
        "from .other import *\n",
        "from .lib import moved\nmoved()\n",
        None,
        {"other.py": "def moved():\n    pass\n"},
    ),
    "alias": Case(
        "def old():\n    pass\n",
        "def new():\n    pass\nold = new\n",
        "from .lib import old\n",
        None,
    ),
    "getattr_of_module": Case(
        "A = 1\n", "def __getattr__(name):\n    return 1\n", "from .lib import A\n", None
    ),
    "tried": Case(
        "A = 1\n", "B = 1\n", "try:\n    from .lib import A\nexcept ImportError:\n    A = 0\n", None
    ),
    "default": Case(
        "def f(a):\n    pass\n", "def f(a, b=None):\n    pass\n", "from .lib import f\nf(1)\n", None
    ),
    "rest": Case(
        "def f(a):\n    pass\n",
        "def f(a, *args, **kw):\n    pass\n",
        "from .lib import f\nf(1)\n",
        None,
    ),
    "forwarded": Case(
        "def f(a):\n    pass\n",
        "def f(a, b):\n    pass\n",
        "from .lib import f\ndef g(*args, **kw):\n    f(*args, **kw)\n",
        None,
    ),
    "expected_error": Case(
        "def f(a):\n    pass\n",
        "def f():\n    pass\n",
        "import pytest\nfrom .lib import f\nwith pytest.raises(TypeError):\n    f(1)\n",
        None,
    ),
    "asked_before": Case(
        f"{_CLASS}    def open(self):\n        pass\n",
        _CLASS,
        "from .lib import Box\nbox = Box(1)\nif hasattr(box, 'open'):\n    box.open()\n",
        None,
    ),
    "set_later": Case(
        f"{_CLASS}    def open(self):\n        pass\n",
        f"{_CLASS}for name in ('open', 'shut'):\n    setattr(Box, name, print)\n",
        "from .lib import Box\nBox(1).open()\n",
        None,
    ),
    "given_to_a_function": Case(
        "class Both:\n    def __init__(self, f):\n        self.narrow = f\n"
        "    def __call__(self, a):\n        return a\n@Both\ndef width(a):\n    pass\n",
        "from functools import partial\ndef width(a, narrow=False):\n    pass\n"
        "width.narrow = partial(width, narrow=True)\n",
        "from .lib import width\nwidth.narrow(1)\n",
        None,
    ),
    "inherited": Case(
        "class A:\n    def open(self):\n        pass\n"
        "class B(A):\n    def open(self):\n        pass\n",
        "class A:\n    def open(self):\n        pass\nclass B(A):\n    pass\n",
        "from .lib import B\nB().open()\n",
        None,
    ),
    "unknown_base": Case(
        "import django\nclass B(django.View):\n    def open_it_up(self):\n        pass\n",
        "import django\nclass B(django.View):\n    pass\n",
        "from .lib import B\nB().open_it_up()\n",
        None,
    ),
    "same_name": Case(
        "class Pump:\n    def close_valve(self):\n        pass\n",
        "class Pump:\n    pass\n",
        "from .lib import Pump\ndef f(valve):\n    valve.close_valve()\n",
        None,
        {"other.py": "class Valve:\n    def close_valve(self):\n        pass\n"},
    ),
    "decorated": Case(
        "import deco\n@deco.inject\ndef f(a):\n    pass\n",
        "import deco\n@deco.inject\ndef f(a, b):\n    pass\n",
        "from .lib import f\nf(1)\n",
        None,
    ),
    "annotations": Case(
        "def f(a):\n    pass\n",
        "def f(a: int) -> None:\n    pass\n",
        "from .lib import f\nf(1)\n",
        None,
    ),
    "broken_before": Case(
        "def f(a, b):\n    pass\n",
        "def f(a, b, c):\n    pass\n",
        "from .lib import f\nf(1)\n",
        None,
    ),
    "ignored": Case("A = 1\n", "B = 1\n", "from .lib import A  # type: ignore\n", None),
    "other_platform": Case(
        "import sys\ndef f():\n    pass\n",
        "import sys\nif sys.platform == 'win32':\n    def f():\n        pass\n"
        "else:\n    def f():\n        pass\n",
        "from .lib import f\nf()\n",
        None,
    ),
    "now_a_package": Case("def f():\n    pass\n", None, "from .lib import f\nf()\n", None),
    "patched": Case(
        "class Box:\n    def open(self):\n        pass\n",
        "class Box:\n    pass\n",
        "from unittest import mock\nbox = mock.Mock()\nbox.open()\n",
        None,
    ),
}

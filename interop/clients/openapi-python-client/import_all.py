"""Imports every module of a generated library."""

import importlib
import sys
from pathlib import Path

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder.parent))
count = 0
for path in sorted(folder.rglob("*.py")):
    name = ".".join(path.relative_to(folder.parent).with_suffix("").parts)
    importlib.import_module(name.removesuffix(".__init__"))
    count += 1
print(f"imported {count} modules")

"""A wheel of a library that is built already: `pack.py LIBRARY FOLDER`. What maturin makes of pyproject.toml, without the compilation,
which with another selection of packages would compile everything once more. tests/recipes/test_maturin.py holds the one to the other."""

import base64
import hashlib
import sys
import tomllib
import zipfile
from pathlib import Path

HERE = Path(__file__).parent


def files(library):
    """Name in the wheel, bytes and mode."""
    for path in sorted((HERE / "python").rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield str(path.relative_to(HERE / "python")), path.read_bytes(), path.stat().st_mode
    yield "wavepipe/_native.abi3.so", Path(library).read_bytes(), 0o100755


def papers(project, version, tag):
    head = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version}", f"Summary: {project['description']}"]
    head += [f"Keywords: {','.join(project['keywords'])}", f"License-Expression: {project['license']}"]
    head += [f"Requires-Python: {project['requires-python']}", *(f"Requires-Dist: {wanted}" for wanted in project["dependencies"])]
    head += ["Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM", ""]
    yield "METADATA", "\n".join(head) + "\n" + (HERE / project["readme"]).read_text()
    yield "WHEEL", f"Wheel-Version: 1.0\nGenerator: wavepipe\nRoot-Is-Purelib: false\nTag: {tag}\n"
    groups = project["entry-points"].items()
    yield "entry_points.txt", "".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in rows.items()) for group, rows in groups)


def main(library, folder):
    import sysconfig

    project = tomllib.loads((HERE / "pyproject.toml").read_text())["project"]
    version = tomllib.loads((HERE.parent / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    python = project["requires-python"].removeprefix(">=").replace(".", "")
    tag = f"cp{python}-abi3-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"
    info = f"wavepipe-{version}.dist-info"
    everything = [*files(library), *((f"{info}/{name}", text.encode(), 0o100644) for name, text in papers(project, version, tag))]
    record = []
    wheel = Path(folder) / f"wavepipe-{version}-{tag}.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as out:
        for name, data, mode in everything:
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{name},sha256={digest},{len(data)}")
            entry = zipfile.ZipInfo(name)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, mode << 16
            out.writestr(entry, data)
        out.writestr(f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]))
    print(wheel)


main(*sys.argv[1:])

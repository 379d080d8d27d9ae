"""A test that fails on a shader shows the report, and not how the library came to it."""

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if error is None or report.outcome != "failed":
        return report
    # Imported only where something has failed: most sessions that have this plugin test no shaders.
    from wavepipe import CheckFailed

    if isinstance(error, CheckFailed) and item.config.getoption("tbstyle", "auto") != "native":
        own = [entry for entry in call.excinfo.traceback if str(entry.path) == str(item.path)]
        place = own[-1] if own else call.excinfo.traceback[-1]
        line = str(place.statement).strip()
        report.longrepr = f"{place.path}:{place.lineno + 1}: {line}\n\n{error}"
    return report

"""Leave a plan: what that does, what it leaves behind and why, and what to do when the provider is out of reach."""

from hushwatt.errors import HushwattError
from hushwatt.household.home_folder import HomeFolder
from hushwatt.household.leave import leave, left_without_erasure
from hushwatt.household.page import html
from hushwatt.household.page.data import OwnerPageData
from hushwatt.household.status import PlanStatus
from hushwatt.household.upload.recorded_client import recorded_client
from hushwatt.sanitise import quoted

PUBLISHED = (
    "Figures that were published before stay published. They are sums over many homes, and yours cannot be taken out "
    "of them again."
)
LEDGER = (
    "This machine keeps a note of what was spent. Leaving gives nothing of it back: if it did, leaving and joining "
    "again would let more be told about your home than you ever agreed to."
)


def leave_page(data: OwnerPageData, plan_id: str) -> str | None:
    """What leaving a plan does and leaves behind; nothing is done yet."""
    each = data.status_of(plan_id)
    if each is None or not _can_leave(data, plan_id):
        return None
    waiting = f" {_count(each.waiting)} still waiting here will never be sent." if each.waiting else ""
    body = [
        html.heading(f"Leave {quoted(each.plan.name)}?", 1),
        html.section(
            "What happens",
            html.listed(
                [
                    html.text(f"At once, nothing more is sent.{waiting}"),
                    html.text(
                        f"The provider ({each.address}) is asked to erase every report of your home: {each.sent:,} so "
                        "far. They are also taken out of results that are not published yet."
                    ),
                    "The keys with which your home signed its reports are deleted.",
                ]
            ),
        ),
        html.section(
            "What stays",
            html.listed(
                [
                    html.text(PUBLISHED),
                    html.text(LEDGER),
                    "The list of what left this home stays on this machine, for you.",
                ]
            ),
        ),
        html.paragraph(
            "If the provider cannot be reached, your home has left all the same. It then keeps its keys until you have "
            f"asked again, here or with `{HomeFolder(data.store.path.parent).command('leave')}`."
        ),
        html.form(
            "leave",
            data.csrf_token,
            f'<p class="pair">{html.submit("Leave, and have it erased", "stop")} {html.link("./", "Stay")}</p>',
            plan=plan_id,
        ),
    ]
    return html.page("Leave a plan", "".join(body))


def left_page(data: OwnerPageData, plan_id: str, forget: bool) -> str | None:
    """Leave, or ask again, and say what became of it."""
    each = data.status_of(plan_id)
    if each is None or not _can_leave(data, plan_id):
        return None
    client = None if data.folder is None else recorded_client(data.folder.path, data.now)
    try:
        _, erased = leave(data.store, plan_id, data.now, forget, client)
    except HushwattError as wrong:
        return _unreachable(data, each, str(wrong))
    done = (
        "Its keys are deleted; the provider was not asked to erase anything."
        if erased is None
        else f"The provider says that it has erased {_count(erased)} of your home. The keys are deleted."
    )
    parts = [html.paragraph(done), html.paragraph(PUBLISHED), html.paragraph(LEDGER)]
    return _page(f"You have left {quoted(each.plan.name)}", *parts, f"<p>{html.link('./', 'Back to your home')}</p>")


def _unreachable(data: OwnerPageData, each: PlanStatus, wrong: str) -> str:
    return _page(
        f"You have left {quoted(each.plan.name)}; the provider has not answered yet",
        html.paragraph("Nothing more is sent from now on."),
        html.sentence(f"the provider could not be asked to erase what it has: {wrong}"),
        html.paragraph("Your home keeps its keys so that you can ask again."),
        ask_again(data, each),
        f"<p>{html.link('./', 'Back to your home')}</p>",
    )


def unfinished(data: OwnerPageData) -> str:
    """Plans that were left while their provider was out of reach."""
    pending = {plan.id for plan in left_without_erasure(data.store)}
    found = [each for each in data.every if each.plan.id in pending]
    if not found:
        return ""
    parts = [
        html.paragraph(
            f"You have left {quoted(each.plan.name)}, but its provider ({each.address}) has not yet confirmed that "
            "your reports are erased."
        )
        + ask_again(data, each)
        for each in found
    ]
    return html.section("Left, and not yet erased", *parts)


def ask_again(data: OwnerPageData, each: PlanStatus) -> str:
    """To ask once more, or to give up on it for good."""
    return html.button("leave", "Ask again", data.csrf_token, each.plan.id, main=True) + html.details(
        "Give up asking",
        html.paragraph(
            "If the provider is gone for good, you can delete the keys. Nobody can then ever ask it to erase your "
            "reports."
        ),
        html.button("forget", "Delete the keys without asking", data.csrf_token, each.plan.id),
    )


def _can_leave(data: OwnerPageData, plan_id: str) -> bool:
    return bool(data.store.value("SELECT 1 FROM plans WHERE plan = ? AND secret IS NOT NULL", (plan_id,)))


def _page(title: str, *parts: str) -> str:
    return html.page(title, html.heading(title, 1) + "".join(parts))


def _count(number: int) -> str:
    return f"{number:,} report{'' if number == 1 else 's'}"

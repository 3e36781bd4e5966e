"""`hushwatt completion`: the script that completes commands and options in a shell."""

from typing import Literal


def completion(shell: Literal["bash", "zsh", "fish"], /) -> None:
    """Print the script by which your shell completes commands and options.

    Where it goes: in bash into ~/.local/share/bash-completion/completions/hushwatt, in fish into
    ~/.config/fish/completions/hushwatt.fish, in zsh into a file called _hushwatt in a folder of $fpath.

    Parameters
    ----------
    shell
        Which shell you use.
    """
    from hushwatt.cli.main import app_for

    script = app_for("completion").generate_completion(shell=shell)
    print(script.replace("_cyclopts_hushwatt", "_hushwatt"), end="")  # zsh looks in a file of this name

"""Checks an archive after some images failed: it must hold all other members, in order, with the right bytes."""
import io
import tarfile

IMAGES = (".png", ".ppm", ".jpg")


def members_of(content):
    """Returns name, kind, link and content of each member. Raises tarfile.TarError for a truncated archive."""
    if not content.endswith(bytes(1024)):
        raise tarfile.ReadError("no end of the archive")
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:") as archive:
        contents = [archive.extractfile(member).read() if member.isreg() else b"" for member in archive]
        return [(member.name, member.type, member.linkname, content)
                for member, content in zip(archive.getmembers(), contents)]


def archive_problems(name, content, expected):
    """`expected` is the archive written by a run without failures."""
    try:
        found = members_of(content)
    except tarfile.TarError as error:
        return [f"{name} is damaged: {error}"]
    whole = members_of(expected)
    left_out = [member for member in whole if member not in found]
    problems = [f"{name} lacks {member[0]}, which is no image" for member in left_out if not member[0].endswith(IMAGES)]
    if found != [member for member in whole if member in found]:
        problems.append(f"{name} holds other members than expected, or in another order")
    return problems if left_out or problems else [f"{name} lacks no image, but differs"]

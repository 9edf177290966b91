"""The rules of Seven Rocks written out plainly, for tests to hold the compiled engine against.

Nothing here is fast and nothing is kept up to date in passing: a layout is the tiles in the order
placed and the connections between them, and every question about it is answered from those.
"""

from collections.abc import Sequence

Tile = tuple[int, int]
Place = tuple[Tile, str]
OpenSite = tuple[Tile, str, int]
LedgerEntry = tuple[int, int, int, str, int, int]

TILES: list[Tile] = [(low, high) for low in range(7) for high in range(low, 7)]
PASS = 112

LOW = "low end"
HIGH = "high end"
LINE_A = "line side A"
LINE_B = "line side B"
ARM_A = "side arm A"
ARM_B = "side arm B"

ACROSS = {LOW: HIGH, HIGH: LOW, LINE_A: LINE_B, LINE_B: LINE_A}


def is_double(tile: Tile) -> bool:
    return tile[0] == tile[1]


def pips_at(place: Place) -> int:
    """The value a tile must show to be joined to this place."""
    (low, high), at = place
    return high if at == HIGH else low


def credit_for(end_sum: int) -> int:
    return end_sum if end_sum > 0 and end_sum % 5 == 0 else 0


def rounded_to_five(pips: int) -> int:
    remainder = pips % 5
    return pips - remainder if remainder <= 2 else pips - remainder + 5


class PlainLayout:
    """The tiles on the table: a graph whose edges join a place of one tile to one of another."""

    def __init__(self) -> None:
        self.tiles: list[Tile] = []
        # Each entry is the place that was there first, then the new tile's place.
        self.connections: list[tuple[Place, Place]] = []

    def lead(self, tile: Tile) -> None:
        assert not self.tiles, "only the first tile of a round is a lead"
        assert tile in TILES, f"{tile} is not a tile"
        self.tiles.append(tile)

    def place(self, tile: Tile, site: int) -> None:
        assert tile in TILES, f"{tile} is not a tile"
        assert tile not in self.tiles, f"{tile} is on the table already"
        sites = self.sites()
        assert site in sites, f"site {site} is not open"
        earlier_tile, earlier_at, value = sites[site]
        assert value in tile, f"{tile} has no {value}"
        at = LINE_A if is_double(tile) else LOW if tile[0] == value else HIGH
        self.tiles.append(tile)
        self.connections.append(((earlier_tile, earlier_at), (tile, at)))

    @property
    def spinner(self) -> Tile | None:
        doubles = [tile for tile in self.tiles if is_double(tile)]
        return doubles[0] if doubles else None

    def _places(self, tile: Tile) -> list[str]:
        if tile == self.spinner:
            return [LINE_A, LINE_B, ARM_A, ARM_B]
        return [LINE_A, LINE_B] if is_double(tile) else [LOW, HIGH]

    def _joined_to(self, place: Place) -> Place | None:
        for earlier, later in self.connections:
            if place == earlier:
                return later
            if place == later:
                return earlier
        return None

    def _is_free(self, place: Place) -> bool:
        return self._joined_to(place) is None

    def _outer_end(self, start: Place) -> Place:
        """The free place reached by going outwards from `start`; `start` itself if it is free."""
        outer = start
        while (neighbour := self._joined_to(outer)) is not None:
            tile, at = neighbour
            outer = (tile, ACROSS[at])
        return outer

    def sites(self) -> dict[int, OpenSite]:
        """The open sites by number; none before the lead, which itself goes to site 0."""
        if not self.tiles:
            return {}
        spinner = self.spinner
        if spinner is None:
            lead = self.tiles[0]
            starts = [(lead, LOW), (lead, HIGH)]
        else:
            line_sides = [(spinner, LINE_A), (spinner, LINE_B)]
            starts = line_sides
            if not any(self._is_free(side) for side in line_sides):
                starts = [*line_sides, (spinner, ARM_A), (spinner, ARM_B)]
        ends = [self._outer_end(start) for start in starts]
        return {site: (*end, pips_at(end)) for site, end in enumerate(ends)}

    def _counted_ends(self) -> list[OpenSite]:
        """Each counted end with its pips, found tile by tile rather than from the open sites."""
        counted: list[OpenSite] = []
        for tile in self.tiles:
            free = [at for at in self._places(tile) if self._is_free((tile, at))]
            if tile == self.spinner:
                free_line_sides = [at for at in free if at in (LINE_A, LINE_B)]
                if free_line_sides:
                    # Once for both halves, however many of the two line sides are free.
                    counted.append((tile, free_line_sides[0], sum(tile)))
            elif is_double(tile):
                counted.extend((tile, at, sum(tile)) for at in free)
            else:
                counted.extend((tile, at, pips_at((tile, at))) for at in free)
        return counted

    def end_sum(self) -> int:
        return sum(pips for _, _, pips in self._counted_ends())

    def credit(self) -> int:
        """What the last placement earned the partnership that made it."""
        return credit_for(self.end_sum())

    def to_dict(self) -> dict[str, object]:
        assert self.tiles, "a position has at least one tile"
        spinner = self.spinner
        return {
            "placed": list(self.tiles[-1]),
            "tiles": [list(tile) for tile in self.tiles],
            "spinner": None if spinner is None else list(spinner),
            "connections": [
                [{"tile": list(tile), "at": at} for tile, at in pair] for pair in self.connections
            ],
            "open_sites": [
                {"tile": list(tile), "at": at, "value": value}
                for tile, at, value in sorted(self.sites().values())
            ],
            "contributions": [
                {"tile": list(tile), "pips": pips} for tile, _, pips in sorted(self._counted_ends())
            ],
            "end_sum": self.end_sum(),
            "credit": self.credit(),
        }


class PlainMatch:
    """A match between seats {0, 2} (partnership 0) and {1, 3} (partnership 1)."""

    def __init__(
        self,
        hands: Sequence[Sequence[Tile]],
        opener: int,
        scores: Sequence[int] = (0, 0),
        target: int = 250,
    ) -> None:
        self.scores: list[int] = list(scores)
        self.target = target
        self.round = 0
        self.ledger: list[LedgerEntry] = []
        self.winner: int | None = None
        self._deal(hands, opener)

    def _deal(self, hands: Sequence[Sequence[Tile]], opener: int) -> None:
        dealt = [tile for hand in hands for tile in hand]
        assert len(hands) == 4
        assert all(hands), "every seat is dealt a tile"
        assert len(set(dealt)) == len(dealt), "no tile is dealt twice"
        assert set(dealt) <= set(TILES), "only tiles of the double-six set are dealt"
        assert opener in range(4), f"there is no seat {opener}"
        self.hands: list[set[Tile]] = [set(hand) for hand in hands]
        self.layout = PlainLayout()
        self.opener = opener
        self.turn = opener
        self.passes = 0
        self.ended: str | None = None

    def legal_actions(self) -> set[int]:
        if self.ended is not None:
            return set()
        hand = self.hands[self.turn]
        if not self.layout.tiles:
            return {4 * TILES.index(tile) for tile in hand}
        placements = {
            4 * TILES.index(tile) + site
            for tile in hand
            for site, (_, _, value) in self.layout.sites().items()
            if value in tile
        }
        return placements or {PASS}

    def play(self, action: int) -> None:
        assert action in self.legal_actions(), f"action {action} is not legal for seat {self.turn}"
        if action == PASS:
            self.passes += 1
            if self.passes == 4:
                self.ended = "blocked"
        else:
            self._place(TILES[action // 4], action % 4)
        if self.ended is None:
            self.turn = (self.turn + 1) % 4
        elif self.ended != "won":
            self._settle()

    def _place(self, tile: Tile, site: int) -> None:
        self.passes = 0
        self.hands[self.turn].remove(tile)
        if self.layout.tiles:
            self.layout.place(tile, site)
        else:
            self.layout.lead(tile)
        self._enter(self.turn, "credit", self.layout.credit())
        # The target comes before the empty hand: a match that is won is not settled.
        if self.scores[self.turn % 2] >= self.target:
            self.ended = "won"
            self.winner = self.turn % 2
        elif not self.hands[self.turn]:
            self.ended = "domino"

    def _settle(self) -> None:
        for seat, hand in enumerate(self.hands):
            pips = sum(low + high for low, high in hand)
            self._enter(seat, "deduction", -rounded_to_five(pips))

    def _enter(self, seat: int, kind: str, points: int) -> None:
        if points == 0:
            return
        partnership = seat % 2
        self.scores[partnership] += points
        self.ledger.append((self.round, seat, partnership, kind, points, self.scores[partnership]))

    def next_round(self, hands: Sequence[Sequence[Tile]], lot: int) -> None:
        """Deal again; `lot` is the seat drawn to open, and counts only after a blocked round."""
        assert self.ended in ("domino", "blocked"), "no round follows an unfinished or a won one"
        opener = self.turn if self.ended == "domino" else lot
        self.round += 1
        self._deal(hands, opener)

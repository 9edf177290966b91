/* The rules of Seven Rocks in plain C, playing at random: how fast could the compiled rules be?
 *
 * Only benchmarks/batch_speed.py and tests/test_yardstick.py use this file. It is written from
 * the rules of the game, as a C programmer would write it for speed: hands are bits of a word,
 * the layout is one word, sets are counted and walked with the processor's own instructions.
 *
 * A game is the record rules.STATE, byte by byte, so that both programs do the same work and can
 * be compared after any step. Play alone needs neither ruled_out nor placed_at nor actions;
 * they are kept because the record keeps them for observations and for replaying games.
 */
#include <stdint.h>
#include <string.h>

enum { TILES = 28, SEATS = 4, SITES = 4, HAND = 7, ACTIONS = 97, PASS = SITES * TILES };
enum { CLOSED = 7, ANY = 8, NO_TILE = 31, NO_SPINNER = 7 };
enum { READY, PLAYING, DOMINO, BLOCKED, WON };

typedef struct {
    uint64_t stream[4];
    int64_t layout;
    int32_t hands[SEATS];
    int32_t scores[2];
    int32_t target;
    int32_t round;
    int8_t phase;
    int8_t winner;
    int8_t opener;
    int8_t seat;
    int8_t passes;
    int8_t credit;
    int8_t num_actions;
    int8_t ruled_out[SEATS];
    int8_t placed_at[TILES];
    int8_t actions[ACTIONS];
} Game;

_Static_assert(sizeof(Game) == 208, "the size of rules.STATE");

/* The layout has nine bits a site, four for the value that fits there and five for the outer
 * tile, and then the value of the spinner. */
#define SITE(value, tile) ((int64_t)((value) | (tile) << 4))
#define AT(site) (9 * (site))
#define SPINNER_AT AT(SITES)
#define ALL_TILES ((1u << TILES) - 1)

static const int64_t EMPTY_LAYOUT =
    SITE(ANY, NO_TILE) << AT(0) | SITE(CLOSED, NO_TILE) << AT(1) | SITE(CLOSED, NO_TILE) << AT(2) |
    SITE(CLOSED, NO_TILE) << AT(3) | (int64_t)NO_SPINNER << SPINNER_AT;

/* Tiles in their order, (0,0), (0,1) ... (6,6). */
static const int8_t LOW[TILES] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2,
                                  2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6};
static const int8_t HIGH[TILES] = {0, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 2,
                                   3, 4, 5, 6, 3, 4, 5, 6, 4, 5, 6, 5, 6, 6};

/* The tiles that fit a site, by its value. */
#define NUMBER(low, high) ((low) * (13 - (low)) / 2 + (high))
#define BIT(a, b) (1u << ((a) < (b) ? NUMBER(a, b) : NUMBER(b, a)))
#define WITH(v) (BIT(v, 0) | BIT(v, 1) | BIT(v, 2) | BIT(v, 3) | BIT(v, 4) | BIT(v, 5) | BIT(v, 6))
static const uint32_t FITTING[9] = {WITH(0), WITH(1), WITH(2), WITH(3),  WITH(4),
                                    WITH(5), WITH(6), 0,       ALL_TILES};

static inline int value_at(int64_t layout, int site) { return layout >> AT(site) & 15; }
static inline int tile_at(int64_t layout, int site) { return layout >> (AT(site) + 4) & 31; }
static inline int spinner_of(int64_t layout) { return layout >> SPINNER_AT & 7; }

static inline int64_t with_site(int64_t layout, int site, int value, int tile) {
    return (layout & ~((int64_t)511 << AT(site))) | SITE(value, tile) << AT(site);
}

static inline int64_t with_spinner(int64_t layout, int value) {
    return (layout & ~((int64_t)7 << SPINNER_AT)) | (int64_t)value << SPINNER_AT;
}

static inline int both_sides_taken(int64_t layout) {
    return tile_at(layout, 0) != NO_TILE && tile_at(layout, 1) != NO_TILE;
}

/* xoshiro256++ by Blackman and Vigna. */
static inline uint64_t rotate_left(uint64_t word, int count) {
    return word << count | word >> (64 - count);
}

static inline uint64_t next_word(uint64_t *s) {
    uint64_t word = rotate_left(s[0] + s[3], 23) + s[0];
    uint64_t shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate_left(s[3], 45);
    return word;
}

/* Uniform in 0 .. bound - 1, by Lemire's multiplication with rejection. */
static inline uint32_t draw(uint64_t *stream, uint32_t bound) {
    uint64_t product = (next_word(stream) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t unfair = -bound % bound;
        while ((uint32_t)product < unfair) product = (next_word(stream) >> 32) * bound;
    }
    return product >> 32;
}

static void new_match(Game *game) {
    game->scores[0] = game->scores[1] = 0;
    game->round = -1;
    game->phase = READY;
    game->winner = -1;
    game->seat = 0;
}

static void next_round(Game *game) {
    int8_t tiles[TILES];
    for (int i = 0; i < TILES; i++) tiles[i] = i;
    int position = 0;
    for (int seat = 0; seat < SEATS; seat++) {
        uint32_t hand = 0;
        for (int card = 0; card < HAND; card++, position++) {
            int chosen = position;
            if (seat < SEATS - 1) chosen += draw(game->stream, TILES - position);
            hand |= 1u << tiles[chosen];
            tiles[chosen] = tiles[position];
        }
        game->hands[seat] = hand;
    }
    int lot = draw(game->stream, SEATS);
    int opener = game->phase == DOMINO ? game->seat : lot;
    game->round++;
    game->layout = EMPTY_LAYOUT;
    game->phase = PLAYING;
    game->opener = game->seat = opener;
    game->passes = game->credit = game->num_actions = 0;
    memset(game->ruled_out, 0, sizeof game->ruled_out);
    memset(game->placed_at, -1, sizeof game->placed_at);
    memset(game->actions, -1, sizeof game->actions);
}

static inline int64_t place(int64_t layout, int tile, int site) {
    int low = LOW[tile], high = HIGH[tile], spinner = spinner_of(layout);
    if (layout == EMPTY_LAYOUT) {
        if (low != high) return with_site(with_site(layout, 0, low, tile), 1, high, tile);
        layout = with_site(with_site(layout, 0, low, NO_TILE), 1, low, NO_TILE);
        return with_spinner(layout, low);
    }
    if (spinner == NO_SPINNER) {
        if (low != high) return with_site(layout, site, low + high - value_at(layout, site), tile);
        int line = 1 - site; /* the end that goes on being the end of the line */
        layout = with_site(layout, 0, value_at(layout, line), tile_at(layout, line));
        return with_spinner(with_site(layout, 1, low, NO_TILE), low);
    }
    int had_both = both_sides_taken(layout);
    layout = with_site(layout, site, low + high - value_at(layout, site), tile);
    if (!had_both && both_sides_taken(layout))
        layout = with_site(with_site(layout, 2, spinner, NO_TILE), 3, spinner, NO_TILE);
    return layout;
}

static inline int end_sum(int64_t layout) {
    int total = 0;
    for (int site = 0; site < SITES; site++) {
        int tile = tile_at(layout, site);
        if (tile != NO_TILE) total += value_at(layout, site) << (LOW[tile] == HIGH[tile]);
    }
    int spinner = spinner_of(layout);
    if (spinner != NO_SPINNER && !both_sides_taken(layout)) total += 2 * spinner;
    return total;
}

static void settle(Game *game) {
    for (int seat = 0; seat < SEATS; seat++) {
        int pips = 0;
        for (uint32_t hand = game->hands[seat]; hand; hand &= hand - 1) {
            int tile = __builtin_ctz(hand);
            pips += LOW[tile] + HIGH[tile];
        }
        game->scores[seat & 1] -= (pips + 2) / 5 * 5;
    }
}

static void play(Game *game, int action) {
    int seat = game->seat, number = game->num_actions++;
    game->actions[number] = action;
    if (action == PASS) {
        game->credit = 0;
        for (int site = 0; site < SITES; site++) {
            int value = value_at(game->layout, site);
            if (value < CLOSED) game->ruled_out[seat] |= 1 << value;
        }
        if (++game->passes == SEATS) {
            settle(game);
            game->phase = BLOCKED;
            return;
        }
    } else {
        int tile = action / SITES;
        game->hands[seat] &= ~(1u << tile);
        game->placed_at[tile] = number;
        game->passes = 0;
        game->layout = place(game->layout, tile, action % SITES);
        int total = end_sum(game->layout);
        int credit = total % 5 == 0 ? total : 0;
        game->credit = credit;
        game->scores[seat & 1] += credit;
        if (credit > 0 && game->scores[seat & 1] >= game->target) {
            game->phase = WON;
            game->winner = seat & 1;
            return;
        }
        if (!game->hands[seat]) {
            settle(game);
            game->phase = DOMINO;
            return;
        }
    }
    game->seat = (seat + 1) % SEATS;
}

/* Each legal placement equally likely; they are counted by site, and by tile within a site. */
static inline int random_action(Game *game) {
    uint32_t hand = game->hands[game->seat], fitting[SITES];
    int count = 0;
    for (int site = 0; site < SITES; site++) {
        fitting[site] = hand & FITTING[value_at(game->layout, site)];
        count += __builtin_popcount(fitting[site]);
    }
    if (count == 0) return PASS;
    int chosen = draw(game->stream, count);
    int site = 0;
    for (int size; chosen >= (size = __builtin_popcount(fitting[site])); site++) chosen -= size;
    uint32_t tiles = fitting[site];
    while (chosen--) tiles &= tiles - 1;
    return SITES * __builtin_ctz(tiles) + site;
}

/* Play steps actions at random in each game; deal the next round in the step that ended one. */
void play_random(Game *games, int64_t num_games, int64_t steps) {
    for (int64_t i = 0; i < num_games; i++) {
        Game *game = &games[i];
        for (int64_t step = 0; step < steps; step++) {
            play(game, random_action(game));
            if (game->phase == PLAYING) continue;
            if (game->phase == WON) new_match(game);
            next_round(game);
        }
    }
}

// A small seeded generator (mulberry32), so that every corpus can be repeated.

export class Rng {
  constructor(...seeds) {
    this.state = 0x9e3779b9;
    for (const seed of seeds) {
      this.state = Math.imul(this.state ^ seed, 0x85ebca6b) >>> 0;
      this.float();
    }
  }

  float() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let t = this.state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  }

  /** An integer from 0 to n - 1. */
  int(n) {
    return Math.floor(this.float() * n);
  }

  /** An integer from low to high, both included. */
  between(low, high) {
    return low + this.int(high - low + 1);
  }

  chance(probability) {
    return this.float() < probability;
  }

  pick(list) {
    return list[this.int(list.length)];
  }

  /** Picks a key of `table` by its weight. */
  weighted(table) {
    const entries = Object.entries(table);
    let left = this.float() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    return entries[0][0];
  }

  shuffle(list) {
    const result = [...list];
    for (let i = result.length - 1; i > 0; i--) {
      const j = this.int(i + 1);
      [result[i], result[j]] = [result[j], result[i]];
    }
    return result;
  }

  /** A list of `low` to `high` values from `make`. */
  list(low, high, make) {
    return Array.from({ length: this.between(low, high) }, () => make());
  }

  /** The value of `make` with the given probability, otherwise undefined. */
  maybe(probability, make) {
    return this.chance(probability) ? make() : undefined;
  }
}

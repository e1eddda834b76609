/** One position of a pattern: any run of characters, or one character of a set. */
type Token = { readonly kind: "run" } | { readonly kind: "one"; matches(letter: string): boolean };

/**
 * Go's `filepath.Match` for one path segment: `*`, `?`, `[a-z]`, `[^a]`, backslash escapes. Undefined for a malformed
 * pattern. Matching takes time proportional to pattern times name.
 */
export function parseGlob(pattern: string): ((name: string) => boolean) | undefined {
  const tokens = tokenize(Array.from(pattern));
  return tokens === undefined ? undefined : (name) => matches(tokens, Array.from(name));
}

function tokenize(letters: readonly string[]): readonly Token[] | undefined {
  const tokens: Token[] = [];
  for (let at = 0; at < letters.length;) {
    const letter = letters[at];
    if (letter === "*") {
      tokens.push({ kind: "run" });
      at++;
    } else if (letter === "?") {
      tokens.push({ kind: "one", matches: () => true });
      at++;
    } else if (letter === "[") {
      const read = readClass(letters, at + 1);
      if (read === undefined) return undefined;
      tokens.push(read.token);
      at = read.next;
    } else {
      const literal = letter === "\\" ? letters[++at] : letter;
      if (literal === undefined) return undefined;
      tokens.push({ kind: "one", matches: (candidate) => candidate === literal });
      at++;
    }
  }
  return tokens;
}

function readClass(
  letters: readonly string[],
  start: number,
): { readonly token: Token; readonly next: number } | undefined {
  const negated = letters[start] === "^";
  const ranges: (readonly [string, string])[] = [];
  let at = negated ? start + 1 : start;
  while (letters[at] !== "]" || ranges.length === 0) {
    const low = readEnd(letters, at);
    if (low === undefined) return undefined;
    at = low.next;
    let high = low;
    if (letters[at] === "-") {
      const end = readEnd(letters, at + 1);
      if (end === undefined) return undefined;
      high = end;
      at = end.next;
    }
    ranges.push([low.letter, high.letter]);
    if (at >= letters.length) return undefined;
  }
  const inside = (letter: string): boolean =>
    ranges.some(([low, high]) => code(low) <= code(letter) && code(letter) <= code(high));
  return { token: { kind: "one", matches: (letter) => inside(letter) !== negated }, next: at + 1 };
}

function readEnd(
  letters: readonly string[],
  at: number,
): { readonly letter: string; readonly next: number } | undefined {
  const first = letters[at];
  if (first === undefined || first === "-" || first === "]") return undefined;
  const letter = first === "\\" ? letters[at + 1] : first;
  return letter === undefined ? undefined : { letter, next: at + (first === "\\" ? 2 : 1) };
}

function code(letter: string): number {
  return letter.codePointAt(0) ?? 0;
}

/** Greedy with one resumption point: the last run may always take one character more. */
function matches(tokens: readonly Token[], name: readonly string[]): boolean {
  let token = 0;
  let run = -1;
  let runEnd = 0;
  for (let at = 0; at < name.length;) {
    const current = tokens[token];
    if (current?.kind === "run") {
      run = token++;
      runEnd = at;
    } else if (current !== undefined && current.matches(name[at] ?? "")) {
      token++;
      at++;
    } else if (run !== -1) {
      token = run + 1;
      at = ++runEnd;
    } else return false;
  }
  while (tokens[token]?.kind === "run") token++;
  return token === tokens.length;
}

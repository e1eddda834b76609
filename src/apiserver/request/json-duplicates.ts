/** Nesting beyond this is refused: every later step walks the document recursively. */
const maxDepth = 1000;

export interface JsonScan {
  /** Paths of keys that stand twice in one object, in document order: `data.a`, `spec.list[0].b`. */
  readonly duplicates: readonly string[];
  readonly tooDeep: boolean;
}

/** One pass over a text that `JSON.parse` accepts, for what that function does not tell. */
export function scanJson(text: string): JsonScan {
  const duplicates: string[] = [];
  const frames: { readonly keys: Set<string> | undefined; label: string; index: number }[] = [];
  let expectKey = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: {
        const end = endOfString(text, at);
        const frame = frames.at(-1);
        if (expectKey && frame?.keys !== undefined) {
          const raw = text.slice(at, end + 1);
          const key = raw.includes("\\") ? (JSON.parse(raw) as string) : raw.slice(1, -1);
          frame.label = key;
          if (frame.keys.has(key)) duplicates.push(pathOf(frames));
          frame.keys.add(key);
          expectKey = false;
        }
        at = end;
        break;
      }
      case 0x7b:
        frames.push({ keys: new Set(), label: "", index: 0 });
        expectKey = true;
        if (frames.length > maxDepth) return { duplicates, tooDeep: true };
        break;
      case 0x5b:
        frames.push({ keys: undefined, label: "", index: 0 });
        expectKey = false;
        if (frames.length > maxDepth) return { duplicates, tooDeep: true };
        break;
      case 0x7d:
      case 0x5d:
        frames.pop();
        expectKey = false;
        break;
      case 0x2c: {
        const frame = frames.at(-1);
        if (frame === undefined) break;
        frame.index++;
        expectKey = frame.keys !== undefined;
        break;
      }
    }
  }
  return { duplicates, tooDeep: false };
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function pathOf(
  frames: readonly { readonly keys: Set<string> | undefined; readonly label: string; readonly index: number }[],
): string {
  let path = "";
  for (const { keys, label, index } of frames)
    if (keys === undefined) path += `[${index}]`;
    else path += path === "" ? label : `.${label}`;
  return path;
}

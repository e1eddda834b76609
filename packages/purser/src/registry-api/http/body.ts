/** The body of a response: its length is known, its bytes are produced while they are sent. */
export interface Body {
  readonly length: number;
  pieces(): Iterable<Uint8Array>;
}

export const noBody: Body = { length: 0, pieces: () => [] };

export function bytesBody(bytes: Uint8Array): Body {
  return { length: bytes.length, pieces: () => [bytes] };
}

export function textBody(text: string): Body {
  return bytesBody(new TextEncoder().encode(text));
}

/** The concatenation of bodies. */
export function joinedBodies(bodies: readonly Body[]): Body {
  return {
    length: bodies.reduce((sum, { length }) => sum + length, 0),
    *pieces() {
      for (const body of bodies) yield* body.pieces();
    },
  };
}

/** A part of a body that lies inside it. */
export function partOf(body: Body, start: number, length: number): Body {
  return { length, pieces: () => cut(body, start, start + length) };
}

function* cut(body: Body, start: number, end: number): Generator<Uint8Array> {
  let at = 0;
  for (const piece of body.pieces()) {
    if (at >= end) return;
    if (at + piece.length > start) yield piece.subarray(Math.max(start - at, 0), Math.min(end - at, piece.length));
    at += piece.length;
  }
}

/**
 * All bytes of a body at once.
 * @testOnly production code sends piece by piece
 */
export function bytesOf(body: Body): Uint8Array {
  const whole = new Uint8Array(body.length);
  let at = 0;
  for (const piece of body.pieces()) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

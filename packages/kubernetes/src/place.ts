/** Position of a value in its input. All parts are optional: a value created in memory has no place. */
export interface Place {
  /** Path as the user gave it. */
  readonly file?: string;
  /** Zero-based index of the document in a stream. */
  readonly document?: number;
  /** One-based line. */
  readonly line?: number;
  /** One-based column, counted in UTF-16 units. */
  readonly column?: number;
  /** RFC 6901 JSON pointer inside the document. */
  readonly pointer?: string;
}

/** `file:line:column pointer`, without unknown parts. */
export function formatPlace(place: Place): string {
  const position = [place.file, place.line, place.column].filter((part) => part !== undefined).join(":");
  return [position, place.pointer].filter((part) => part !== undefined && part !== "").join(" ");
}

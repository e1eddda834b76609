/**
 * Texts of a `Warning` header (RFC 7234: `299 - "text"`), several of them joined by commas. Invalid parts are ignored:
 * a warning must never break a write.
 */
export function parseWarnings(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  const texts: string[] = [];
  const one = /(?:^|,)\s*\d{3} \S+ "((?:[^"\\]|\\.)*)"(?: "(?:[^"\\]|\\.)*")?\s*/gy;
  for (let match = one.exec(header); match !== null; match = one.exec(header)) {
    const text = (match[1] ?? "").replaceAll(/\\(.)/g, "$1");
    if (!texts.includes(text)) texts.push(text);
  }
  return texts;
}

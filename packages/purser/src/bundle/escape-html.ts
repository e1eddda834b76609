/** JSON text with the characters escaped that Go's encoder escapes; they can only stand inside of strings. */
export function escapeHtml(json: string): string {
  return json.replaceAll(/[<>&\u2028\u2029]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

import { endOfJsonString } from "./go-json.ts";
import { endOfJsonValue } from "./json-document.ts";

const separators = /[\s,]*/y;
const colon = /\s*:\s*/y;

function skip(form: RegExp, text: string, at: number): number {
  form.lastIndex = at;
  return at + (form.exec(text)?.[0].length ?? 0);
}

/** The members of the text of a JSON object, values as they are written; all of those that bear one name. */
export function jsonMembers(text: string): readonly (readonly [key: string, value: string])[] {
  const members: [string, string][] = [];
  for (let at = skip(separators, text, text.indexOf("{") + 1); text.charAt(at) === '"';) {
    const keyEnd = endOfJsonString(text, at);
    const valueAt = skip(colon, text, keyEnd);
    const end = endOfJsonValue(text, valueAt);
    members.push([JSON.parse(text.slice(at, keyEnd)) as string, text.slice(valueAt, end)]);
    at = skip(separators, text, end);
  }
  return members;
}

/** The items of the text of a JSON list, as they are written. */
export function jsonItems(text: string): readonly string[] {
  const items: string[] = [];
  for (let at = skip(separators, text, text.indexOf("[") + 1); at < text.length && text.charAt(at) !== "]";) {
    const end = endOfJsonValue(text, at);
    items.push(text.slice(at, end));
    at = skip(separators, text, end);
  }
  return items;
}

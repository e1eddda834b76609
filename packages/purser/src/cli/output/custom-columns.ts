import { isJsonObject, type JsonValue } from "@purser/kubernetes/json";
import { type JsonPath, jsonPath } from "@purser/kubernetes/text/json-path";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { wordOf } from "./json-path-template.ts";
import { formatTable } from "./table.ts";
import type { Shown } from "./shown.ts";

/**
 * kubectl's `HEADING:PATH,HEADING:PATH`: one row for each item of a list, one for any other document; `<none>` where a path finds
 * nothing. The problem is one sentence.
 */
export function customColumns(text: string, withHeadings: boolean): Result<(document: JsonValue) => Shown, string> {
  const columns: { readonly heading: string; readonly read: JsonPath }[] = [];
  // A comma inside of brackets belongs to the path.
  for (const column of text.match(/(?:\[[^\]]*\]|[^,[])+/g) ?? []) {
    const [heading = "", path] = [column.split(":")[0], column.split(":").slice(1).join(":")];
    const bare = path?.replace(/^\{(.*)\}$/s, "$1") ?? "";
    const read = bare === "" ? undefined : jsonPath(/^[.[$@]/.test(bare) ? bare : `.${bare}`);
    if (heading === "" || read === undefined) return failed(`"${column}" is not HEADING:PATH, such as NAME:.name`);
    columns.push({ heading, read });
  }
  if (columns.length === 0) return failed("no column is given; write, for example, NAME:.name");
  return done((document) => {
    const items = isJsonObject(document) && Array.isArray(document["items"]) ? document["items"] : [document];
    return formatTable(
      columns.map(({ heading }) => heading),
      (items as readonly JsonValue[]).map((item) =>
        columns.map(({ read }) => read(item).map(wordOf).join(",") || "<none>"),
      ),
      withHeadings,
    );
  });
}

import { goQuote } from "@purser/kubernetes/go-quote";

const form = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/** What upstream's registry server has against names of a custom schema and its package; "" is no package. */
export function customSchemaProblem(schema: string, packageName: string): string | undefined {
  const complaint = (what: string, text: string): string =>
    `invalid ${what} ${goQuote(text)}: must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$`;
  if (!form.test(schema)) return complaint("schema", schema);
  return packageName === "" || form.test(packageName) ? undefined : complaint("packageName", packageName);
}

import { goQuote } from "@purser/kubernetes/go-quote";

const form = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/** Why upstream's registry server refuses the names of a custom schema and its package ("": none); undefined when it does not. */
export function customSchemaProblem(schema: string, packageName: string): string | undefined {
  const complaint = (what: string, text: string): string =>
    `invalid ${what} ${goQuote(text)}: must match ^[a-zA-Z0-9][a-zA-Z0-9._-]*$`;
  if (!form.test(schema)) return complaint("schema", schema);
  return packageName === "" || form.test(packageName) ? undefined : complaint("packageName", packageName);
}

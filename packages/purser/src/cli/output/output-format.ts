/** Formats with a text of their own behind `=`; every command with `-o json` takes them. */
const withText = ["jsonpath", "custom-columns"] as const;

/** Whether `-o` with this value prints what the document holds, as a template or columns say. */
export const isTemplated = (format: string): boolean => withText.some((name) => format.startsWith(`${name}=`));

/** Whether the result is a document: `json`, `yaml`, or a part of it by `jsonpath=` and `custom-columns=`. */
export const isDocumentFormat = (format: unknown): format is string =>
  typeof format === "string" && (format === "json" || format === "yaml" || isTemplated(format));

/** The format that a command line asks for, for errors before it is parsed. */
export function askedFormat(args: readonly string[]): string | undefined {
  const at = args.findIndex((arg) => arg === "-o" || arg === "--output");
  if (at >= 0) return args[at + 1];
  const [joined] = args.filter((arg) => /^(-o|--output=)./.test(arg) && !arg.startsWith("--output-"));
  return joined?.replace(/^(--output=|-o=?)/, "");
}

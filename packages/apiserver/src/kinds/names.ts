/** The syntax that names of a kind must have. */
export type NameRule = "subdomain" | "label" | "pathSegment" | "any";

const label = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const labelPattern = new RegExp(`^${label}$`);
const subdomainPattern = new RegExp(`^${label}(\\.${label})*$`);

const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character " +
  `(e.g. 'my-name',  or '123-abc', regex used for validation is '${label}')`;
const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
  `(e.g. 'example.com', regex used for validation is '${label}(\\.${label})*')`;

const standardFinalizers: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Finalizers of Kubernetes itself, which need no domain prefix. */
export function isStandardFinalizer(name: string): boolean {
  return standardFinalizers.has(name);
}

/** Faults of an RFC 1123 label, with apimachinery's error texts. */
export function labelProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push("must be no more than 63 characters");
  if (!labelPattern.test(name)) problems.push(subdomainPattern.test(name) ? "must not contain dots" : labelText);
  return problems;
}

export function subdomainProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 253) problems.push("must be no more than 253 characters");
  if (!subdomainPattern.test(name)) problems.push(subdomainText);
  return problems;
}

const relative = "[a-z]([-a-z0-9]*[a-z0-9])?";
const relativePattern = new RegExp(`^${relative}$`);

/** Faults of an RFC 1035 label, which must not begin with a digit. */
export function relativeNameProblems(name: string): readonly string[] {
  const problems: string[] = [];
  if (name.length > 63) problems.push("must be no more than 63 characters");
  if (!relativePattern.test(name))
    problems.push(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character " +
        `(e.g. 'my-name',  or 'abc-123', regex used for validation is '${relative}')`,
    );
  return problems;
}

function pathSegmentProblems(name: string, prefix: boolean): readonly string[] {
  const problems: string[] = [];
  if (!prefix && (name === "." || name === "..")) problems.push(`may not be '${name}'`);
  for (const forbidden of ["/", "%"]) if (name.includes(forbidden)) problems.push(`may not contain '${forbidden}'`);
  return problems;
}

/** Faults of an object's name under the rule; with `prefix`, of the base of a generateName. */
export function nameProblems(rule: NameRule, name: string, prefix: boolean): readonly string[] {
  const checked = prefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -1)}a` : name;
  switch (rule) {
    case "subdomain":
      return subdomainProblems(checked);
    case "label":
      return labelProblems(checked);
    case "pathSegment":
      return pathSegmentProblems(name, prefix);
    case "any":
      return [];
  }
}

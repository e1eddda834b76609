import type { Place } from "@purser/kubernetes/place";

/** Kinds of findings as upstream's validator library names them; a refused field of a CRD has Kubernetes' reason. */
export type IssueType =
  | "CSVFileNotValid"
  | "FieldNotFound"
  | "ParseError"
  | "ValidationFailed"
  | "OperationFailed"
  | "BundleNotValid"
  | "ObjectFailedValidation"
  | "PropertiesAnnotationUsed"
  | "DeprecatedValidator"
  | "PackageManifestNotValid"
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueDuplicate"
  | "FieldValueTypeInvalid"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError";

/** One finding of a validator. */
export interface BundleIssue {
  /** Our stable id, such as `csv-name`. */
  readonly rule: string;
  readonly level: "Error" | "Warning";
  readonly type: IssueType;
  /** Upstream's text. */
  readonly detail: string;
  readonly field?: string;
  readonly value?: BadValue;
  readonly place?: Place;
}

/** The value that is to blame, as Go prints it; `type` when it is no plain text, number or bool to Go. */
export interface BadValue {
  readonly text: string;
  readonly type?: string;
}

/** What one validator found about one thing. Errors come before warnings. */
export interface ValidatorResult {
  /** Of the CSV, CRD or bundle; "" for objects. */
  readonly name: string;
  readonly issues: readonly BundleIssue[];
}

/** Errors first, as upstream keeps the two apart. */
export function resultOf(name: string, issues: readonly BundleIssue[]): ValidatorResult {
  const isError = ({ level }: BundleIssue): boolean => level === "Error";
  return { name, issues: [...issues.filter(isError), ...issues.filter((issue) => !isError(issue))] };
}

/** `Error: Field spec.group, Value : spec.group: Required value`; `Error: : detail` where nothing is named. */
export function formatIssue({ level, field, value, detail }: BundleIssue): string {
  const named = [
    ...(field === undefined || field === "" ? [] : [`Field ${field}`]),
    ...(value === undefined ? [] : [`Value ${value.text}`]),
  ].join(", ");
  const text = `${named}${detail === "" ? "" : `: ${detail}`}`;
  return text === "" ? "ErrMessageMissing" : `${level}: ${text}`;
}

/** A finding about the ClusterServiceVersion called `name`. */
export function csvIssue(
  rule: string,
  level: BundleIssue["level"],
  name: string,
  text: string,
  place?: Place,
): BundleIssue {
  const issue = { rule, level, type: "CSVFileNotValid", detail: `(${name}) ${text}`, value: { text: "" } } as const;
  return place === undefined ? issue : { ...issue, place };
}

/** A finding that blames the value `text`. */
export function valueIssue(
  rule: string,
  level: BundleIssue["level"],
  type: IssueType,
  detail: string,
  value: BadValue,
  place?: Place,
): BundleIssue {
  const issue = { rule, level, type, detail, value };
  return place === undefined ? issue : { ...issue, place };
}

const subdomainForm = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelForm = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** Kubernetes' messages about a text that is no DNS-1123 label; empty when it is one. */
export function labelProblems(name: string): readonly string[] {
  const complaints: string[] = [];
  if (new TextEncoder().encode(name).length > 63) complaints.push("must be no more than 63 bytes");
  if (!labelForm.test(name))
    complaints.push(
      subdomainForm.test(name)
        ? "must not contain dots"
        : "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    );
  return complaints;
}

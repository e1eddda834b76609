import type { ArgumentSpec, OptionSpec } from "../command.ts";

export const targetArgument: ArgumentSpec = {
  name: "reference",
  summary: "HOST/REPOSITORY:TAG, oci:DIR[:NAME] or oci-archive:FILE[:NAME]",
  required: true,
};

export const pushOptions: readonly OptionSpec[] = [
  { flags: "--sign KEY", summary: "sign the image with this private key (PEM, ECDSA P-256), as cosign does" },
  { flags: "--sign-identity NAME", summary: "image name in the signature; the reference by default" },
  { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml"] },
];

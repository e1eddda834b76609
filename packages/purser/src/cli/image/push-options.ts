import type { ArgumentSpec, OptionSpec } from "../command.ts";

export const targetArgument: ArgumentSpec = {
  name: "reference",
  summary: "HOST/REPOSITORY:TAG, oci:DIR[:NAME] or oci-archive:FILE[:NAME]",
  required: true,
};

export const pushOptions: readonly OptionSpec[] = [
  {
    flags: "--sign KEY",
    summary:
      "sign the image with this private key (ECDSA P-256; PEM or cosign's own form), as cosign does; the passphrase of an encrypted key is COSIGN_PASSWORD or asked for",
  },
  { flags: "--sign-identity NAME", summary: "image name in the signature; the reference by default" },
  { flags: "-o, --output FORMAT", summary: "how to print", choices: ["table", "json", "yaml"] },
];

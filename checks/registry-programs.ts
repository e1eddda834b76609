/** A program that tests of registries run, and the Debian package that has it. */
interface RegistryProgram {
  readonly program: string;
  readonly debianPackage: string;
}

const registryPrograms: readonly RegistryProgram[] = [
  { program: "docker-registry", debianPackage: "docker-registry" },
  { program: "htpasswd", debianPackage: "apache2-utils" },
  { program: "skopeo", debianPackage: "skopeo" },
];

/** What can be done about programs that are missing. */
export type Preparation =
  | { readonly kind: "complete" }
  | { readonly kind: "install"; readonly packages: readonly string[] }
  /** `reason` is a sentence with the remedy. */
  | { readonly kind: "impossible"; readonly reason: string };

export interface Machine {
  readonly isRoot: boolean;
  readonly isOnPath: (program: string) => boolean;
}

/** Whether the programs that tests of registries run have to be installed, and whether this user can install them. */
export function planPreparation({ isRoot, isOnPath }: Machine): Preparation {
  const missing = registryPrograms.filter(({ program }) => !isOnPath(program));
  if (missing.length === 0) return { kind: "complete" };
  const programs = missing.map(({ program }) => program).join(", ");
  const packages = missing.map(({ debianPackage }) => debianPackage);
  const impossible = (why: string): Preparation => ({
    kind: "impossible",
    reason: `${programs} not on the PATH, and ${why}; the tests that run them are skipped`,
  });
  if (!isOnPath("apt-get")) return impossible("there is no apt-get to install them with");
  if (!isRoot) return impossible(`only root can install them (apt-get install ${packages.join(" ")})`);
  return { kind: "install", packages };
}

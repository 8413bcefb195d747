import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command, Option } from "commander";
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/program.ts";

/** The destructive commands. Each asks for confirmation. */
const DESTRUCTIVE = [
  "account disable",
  "account free",
  "account sign-out",
  "backup restore",
  "day adopt",
  "day publish",
  "day restore",
  "day withdraw",
  "doctor",
  "external clear",
  "files withdraw",
  "key revoke",
  "share revoke",
  "share rotate",
  "subscription set",
  "token revoke",
];

/** Returns every command without subcommands, with the arguments that select it. */
function leaves(command: Command, args: string[] = []): [string, Command][] {
  const below = command.commands.filter((each) => each.name() !== "help");
  if (below.length === 0) return [[args.join(" "), command]];
  return below.flatMap((each) => leaves(each, [...args, each.name()]));
}

const commands = new Map(leaves(await createProgram()));
const names = [...commands.keys()];
const optionsOf = (name: string): Option[] => [...(commands.get(name)?.options ?? [])];
const has = (name: string, long: string) => optionsOf(name).some((option) => option.long === long);

/** Returns the path and the text of each file below `folder` that can mention a command to operators. */
function textsBelow(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.(ts|tsx|md)$/.test(path) && !path.includes("node_modules"))
    .map((path) => [join(folder, path), readFileSync(join(folder, path), "utf8")]);
}

describe("the commands", () => {
  it("have descriptions, and so do all their options", () => {
    const silent = names.filter(
      (name) =>
        (commands.get(name)?.description() ?? "") === "" ||
        optionsOf(name).some((option) => option.description === ""),
    );
    expect(silent).toEqual([]);
  });

  it("can all print JSON for scripts", () => {
    expect(names.filter((name) => !has(name, "--json"))).toEqual([]);
  });

  it("ask for confirmation exactly when they are destructive", () => {
    expect(names.filter((name) => has(name, "--yes")).sort()).toEqual(DESTRUCTIVE);
  });

  it("show defaults in the form that the user types, and mark the required options", () => {
    const help = names.map((name) => commands.get(name)?.helpInformation() ?? "").join("\n");
    expect(help).not.toMatch(/default: \{|default: \d{8,}\)|\[object/);
    const nightly = commands.get("nightly")?.helpInformation() ?? "";
    expect(nightly.replaceAll(/\s+/g, " ")).toMatch(/\(default: 20:30\).*\(default: 23:30\)/);
    expect(commands.get("account invite")?.helpInformation()).toContain("(default: 1d)");
    const set = commands.get("subscription set")?.helpInformation().replaceAll(/\s+/g, " ") ?? "";
    expect(set.match(/\(required\)/g)).toHaveLength(3);
    expect(commands.get("day restore")?.helpInformation()).not.toMatch(/ --revision/);
  });
});

describe("the commands cited in pages, advice and refusals", () => {
  const written = [
    ...textsBelow("src"),
    ["README.md", readFileSync("README.md", "utf8")] as [string, string],
  ].flatMap(([path, text]) =>
    [
      ...text.matchAll(/`(?:npx )?edgetape ((?:[a-z]+ ?)+[^`\n]*?)\\?`/g),
      // Command lines in code blocks.
      ...text.matchAll(/^npx edgetape ([a-z].*)$/gm),
    ].map(([, args = ""]) => ({ path, args })),
  );

  it("are found by the pattern of this test", () => {
    expect(written.length).toBeGreaterThan(40);
  });

  it("exist, and so do the options cited with them", () => {
    const wrong = written.filter(({ args }) => {
      const named = args.split(" ").filter((word) => /^[a-z][a-z0-9-]*$/.test(word));
      // The first of these texts is a sentence about the product, and the second is a code template.
      if (args.startsWith("is serving") || args.startsWith("share password $")) return false;
      const name = names
        .filter((each) => each === named.slice(0, each.split(" ").length).join(" "))
        .sort((a, b) => b.length - a.length)[0];
      // A group's name, such as `edgetape token`, stands for all its commands. `day` itself is also a command.
      const group =
        names.some((each) => each.startsWith(`${named[0]} `)) &&
        (named.length === 1 || args.startsWith("day "));
      if (name === undefined) return !group;
      return (args.match(/--[a-z0-9-]+/g) ?? []).some((option) => option !== "--help" && !has(name, option));
    });
    expect(wrong).toEqual([]);
  });
});

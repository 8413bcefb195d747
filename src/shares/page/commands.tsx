/**
 * Commands that download a share. Each prompts for the password, so that it is never in a URL, in the shell history or
 * on this page. The commands are for a POSIX shell or Python. Each is shown with a button that copies it.
 */

import type { DatasetName } from "../../datasets/registry.ts";
import { BY_SYMBOL, securityFileName } from "../drive-path.ts";
import type { Messages } from "./messages.ts";

interface Command {
  /** Letters and digits only, because element ids contain it. */
  tool: "wget" | "aria2c" | "rclone" | "duckdb" | "pandas";
  title: string;
  text: string;
}

interface CommandFacts {
  /** The URL of the share, with a trailing slash. */
  shareUrl: string;
  shareId: string;
  /** The local folder, such as `level2-2026`. */
  folder: string;
  /** The path of a Parquet file inside the share, for the DuckDB and pandas examples; null when there is none. */
  example: string | null;
}

/** Returns the commands for a share. Commands for the whole share come first. */
export function commandsFor({ shareUrl, shareId, folder, example }: CommandFacts): Command[] {
  const file = shareUrl + (example ?? "<day>/<name>.parquet");
  return [
    {
      tool: "wget",
      title: "wget",
      // Excludes the files that the service rewrites each day, because `-c` would append the end of a new version to
      // the old one.
      text: `wget --user=${shareId} --ask-password \\
  -r -np -nH --cut-dirs=2 -c -R 'index.html*,manifest.json,SHA256SUMS' -P ${folder} \\
  ${shareUrl}`,
    },
    {
      tool: "aria2c",
      title: "aria2c",
      text: `printf 'Password: '; read -rs PASSWORD; echo
curl -fsS -u "${shareId}:$PASSWORD" ${shareUrl}SHA256SUMS |
  awk '{print "${shareUrl}" $2; print " out=" $2; print " checksum=sha-256=" $1}' |
  aria2c -i - -c -j2 -x8 -s8 --retry-wait=5 -d ${folder} --http-user=${shareId} --http-passwd="$PASSWORD"`,
    },
    {
      tool: "rclone",
      title: "rclone",
      // The command uses rclone's http remote, because its webdav remote compares files by size only.
      text: `printf 'Password: '; read -rs PASSWORD; echo
export RCLONE_HTTP_HEADERS="Authorization,Basic $(printf %s "${shareId}:$PASSWORD" | base64)"
rclone copy -P :http: ${folder} --http-url=${shareUrl}`,
    },
    {
      tool: "duckdb",
      title: "DuckDB",
      text: `${LOGIN(shareId)}
import duckdb
duckdb.sql(f"""CREATE SECRET (TYPE http, SCOPE '${shareUrl}',
  EXTRA_HTTP_HEADERS MAP {{'Authorization': '{login}'}})""")
print(duckdb.sql("FROM '${file}' LIMIT 10"))`,
    },
    {
      tool: "pandas",
      title: "pandas",
      text: `${LOGIN(shareId)}
import pandas
frame = pandas.read_parquet(
    "${file}",
    storage_options={"Authorization": login})`,
    },
  ];
}

/** Returns the command that verifies a downloaded share against its current checksums. */
export function checkCommand({ shareUrl, shareId }: Pick<CommandFacts, "shareUrl" | "shareId">): string {
  return `curl -fsS -u ${shareId} ${shareUrl}SHA256SUMS | sha256sum --check --quiet -`;
}

/** Returns the command that downloads the file `name` in `by-symbol/` of the day's folder `path`. */
function securityCommand(
  { shareUrl, shareId }: Pick<CommandFacts, "shareUrl" | "shareId">,
  path: string,
  name: string,
): string {
  return `curl -fO -u ${shareId} "${shareUrl}${path}${BY_SYMBOL}/${name}"`;
}

const LOGIN = (shareId: string) => `import base64, getpass
login = "Basic " + base64.b64encode(f"${shareId}:{getpass.getpass()}".encode()).decode()`;

/** Renders a command with its button; `id` is unique on the page. */
export function CommandText({ id, text, messages }: { id: string; text: string; messages: Messages }) {
  return (
    <>
      {/*
       * Each URL is split before `://`. Otherwise fsspec would find the URL in the page's source and list it, together
       * with the text after it, as a file.
       */}
      <pre id={id}>
        {text.split("://").flatMap((part, place) => (place === 0 ? [part] : [<wbr />, `://${part}`]))}
      </pre>
      {/* The script shows this button, which has no effect without the script. */}
      <button type="button" class="copy" data-copy={id} data-done={messages.copied}>
        {messages.copy}
      </button>
    </>
  );
}

interface OneSecurityProps {
  messages: Messages;
  share: Pick<CommandFacts, "shareUrl" | "shareId">;
  /** The path of the day's folder, with its trailing slash. */
  path: string;
  /** The datasets with files in `by-symbol/`, at least one. */
  datasets: readonly DatasetName[];
}

/** Renders the names of one security's files of a day, without links, and a command that downloads the first one. */
export function OneSecurity({ messages, share, path, datasets }: OneSecurityProps) {
  const names = datasets.map((dataset) => securityFileName({ dataset, symbol: "600519", market: "SH" }));
  return (
    <>
      <p class="note">
        {messages.bySymbolNote}{" "}
        {datasets.map((dataset, place) => (
          <>
            {place === 0 ? "" : ", "}
            <code>{names[place]}</code> ({messages.datasets[dataset]})
          </>
        ))}
      </p>
      <div class="card panel shown">
        <CommandText
          id="command-security"
          text={securityCommand(share, path, names[0] ?? "")}
          messages={messages}
        />
      </div>
    </>
  );
}

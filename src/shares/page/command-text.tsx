/** Shows commands on the pages, each with a button that copies it. */
import type { DatasetName } from "../../datasets/registry.ts";
import { securityFileName } from "../drive-path.ts";
import { type CommandFacts, securityCommand } from "./commands.ts";
import type { Messages } from "./messages.ts";

/** Renders a command with its button; `id` is unique on the page. */
export function CommandText({ id, text, messages }: { id: string; text: string; messages: Messages }) {
  return (
    <>
      {/*
       * The text is split inside each URL, because fsspec lists every URL in a page's source, with the text after it,
       * as a file.
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

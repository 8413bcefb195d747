/** The frame of a share's pages. */
import type { Child } from "hono/jsx";
import { assetOf } from "../../pages/assets.ts";
import calendarStyle from "../../pages/calendar.css" with { type: "text" };
import { Frame } from "../../pages/frame.tsx";
import type { Look } from "../../pages/look.ts";
import shareStyle from "./share.css" with { type: "text" };

const STYLE = assetOf("share", "css", calendarStyle + shareStyle);

interface LayoutProps {
  look: Look;
  title: string;
  children?: Child;
}

/**
 * Renders a whole document; serialise it with `documentOf`. The header has no links, so that mirror tools follow only
 * the links in the content.
 */
export function Layout({ look, title, children }: LayoutProps) {
  return (
    <Frame look={look} title={title} styles={[STYLE]} linkless>
      {children}
    </Frame>
  );
}

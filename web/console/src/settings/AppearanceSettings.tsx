import { formatNumber, formatTime } from "../ui/format.js";
import { LOCALES, setLocale, useLocale } from "../ui/locale.js";
import styles from "./SettingsPage.module.css";
import { setTheme, THEMES, type Theme, useTheme } from "./theme.js";

const THEME_NAMES: Record<Theme, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
};

/** Example of a date, two days ago, and of a number in the chosen language. */
function example(): string {
  const twoDaysAgo = Date.now() - 2 * 24 * 60 * 60 * 1000;
  return `${formatTime(twoDaysAgo)} · ${formatNumber(1234567.89)}`;
}

/** Choice of the theme and of the language of dates and numbers. */
export function AppearanceSettings() {
  const theme = useTheme();
  const locale = useLocale();
  return (
    <>
      <fieldset className={styles.choices}>
        <legend className="visually-hidden">Theme</legend>
        {THEMES.map((name) => (
          <label key={name}>
            <input
              type="radio"
              name="theme"
              checked={theme === name}
              onChange={() => setTheme(name)}
            />
            {THEME_NAMES[name]}
          </label>
        ))}
      </fieldset>
      <div className={styles.row}>
        <label className={styles.field}>
          Dates and numbers
          <select
            value={locale ?? ""}
            onChange={(event) =>
              setLocale(event.target.value === "" ? undefined : event.target.value)
            }
          >
            <option value="">As the browser</option>
            {Object.entries(LOCALES).map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <p className={styles.example}>{example()}</p>
      </div>
    </>
  );
}

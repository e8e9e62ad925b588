import styles from "./SettingsPage.module.css";
import { setTheme, THEMES, type Theme, useTheme } from "./theme.js";

const THEME_NAMES: Record<Theme, string> = {
  system: "As the system",
  light: "Light",
  dark: "Dark",
};

/** Choice of the theme. */
export function ThemeSettings() {
  const theme = useTheme();
  return (
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
  );
}

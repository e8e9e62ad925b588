/** Words that name a secret, as on the server. An agent never needs a password in a form. */
const SECRETS = [
  "password",
  "passwd",
  "passcode",
  "passphrase",
  "pwd",
  "passwort",
  "kennwort",
  "mot de passe",
  "contraseña",
  "contrasena",
  "senha",
  "wachtwoord",
  "hasło",
  "heslo",
  "lösenord",
  "пароль",
  "密码",
  "密碼",
  "パスワード",
  "비밀번호",
  "كلمة المرور",
  "api key",
  "apikey",
  "secret key",
  "private key",
  "access token",
  "seed phrase",
  "recovery phrase",
  "cvv",
  "cvc",
  "card number",
  "credit card",
  "pin code",
  "one time code",
  "otp",
];

/** Returns true if the name or label of a field asks for a secret. */
export function asksForSecret(text: string): boolean {
  const words = text
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .join(" ")
    .trim();
  return SECRETS.some((secret) =>
    /^[a-z ]+$/.test(secret) ? ` ${words} `.includes(` ${secret} `) : words.includes(secret),
  );
}

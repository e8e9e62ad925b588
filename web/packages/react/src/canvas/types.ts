/** Text, number or boolean in a table. */
export type CellValue = string | number | boolean;

/** Data of a chart. */
export interface ChartData {
  title: string;
  description?: string;
  chartType: "line" | "bar" | "pie" | "area" | "scatter" | "radar";
  labels: string[];
  datasets: ChartSeries[];
  options?: ChartOptions;
}

/** Series of a chart: one number for each label. */
export interface ChartSeries {
  label: string;
  data: number[];
  color?: string;
  fill?: boolean;
}

/** Options of a chart; other members are ignored. */
export interface ChartOptions {
  stacked?: boolean;
  numberFormat?: "decimal" | "percent" | "currency";
  currency?: string;
  dateFormat?: string;
  xLabel?: string;
  yLabel?: string;
  legend?: boolean;
}

/** Kind of the cells of a column. */
export type CellKind = "text" | "number" | "currency" | "percent" | "date" | "boolean";

/** Data of a table. */
export interface TableData {
  title: string;
  description?: string;
  headers: string[];
  rows: CellValue[][];
  columnTypes?: CellKind[];
  totals?: CellValue[];
  sortable?: boolean;
  filterable?: boolean;
  pagination?: { pageSize: number; currentPage: number; totalPages: number };
  onPageActionId?: string;
}

/** Data of a card. */
export interface CardData {
  title: string;
  description?: string;
  content: unknown;
  footer?: string;
  actions?: CardAction[];
}

/** Button of a card. */
export interface CardAction {
  label: string;
  actionId: string;
  variant?: "default" | "destructive" | "outline";
}

/** Data of a form. */
export interface FormData {
  title: string;
  description?: string;
  fields: FormField[];
  submitLabel?: string;
  onSubmitActionId: string;
  checks?: FormCheck[];
}

/** Field of a form. */
export interface FormField {
  name: string;
  label: string;
  type: "text" | "email" | "number" | "select" | "checkbox" | "date" | "textarea";
  required?: boolean;
  options?: string[];
  defaultValue?: unknown;
  validation?: FieldLimits;
  placeholder?: string;
  help?: string;
}

/** Limits of a field. */
export interface FieldLimits {
  min?: number;
  max?: number;
  minLength?: number;
  maxLength?: number;
  /** Regular expression for the whole value. */
  pattern?: string;
  /** Message for values outside of the limits. */
  message?: string;
}

/** Comparison of two fields that must hold. */
export interface FormCheck {
  field: string;
  operator: "eq" | "ne" | "lt" | "le" | "gt" | "ge";
  other: string;
  message: string;
}

/** Data of a list. */
export interface ListData {
  title: string;
  description?: string;
  items: { label: string; icon?: string; description?: string; url?: string }[];
}

/** Data of a timeline. A timestamp is a date, words such as "Week 1", or milliseconds since 1970. */
export interface TimelineData {
  title: string;
  description?: string;
  events: { title: string; timestamp: string | number; description?: string; icon?: string }[];
}

/** Data of a calendar. */
export interface CalendarData {
  title: string;
  description?: string;
  events: CalendarEvent[];
}

/** Event of a calendar, with times in ISO 8601. */
export interface CalendarEvent {
  id: string;
  title: string;
  start: string;
  end?: string;
  allDay?: boolean;
  description?: string;
  location?: string;
  color?: string;
  url?: string;
}

/** Data of a board. */
export interface KanbanData {
  title?: string;
  description?: string;
  columns: KanbanColumn[];
  onMoveActionId?: string;
}

/** Column of a board. */
export interface KanbanColumn {
  id: string;
  title: string;
  cards: KanbanCard[];
  limit?: number;
  color?: string;
}

/** Card of a board. */
export interface KanbanCard {
  id: string;
  title: string;
  description?: string;
  assignee?: { id: string; name: string };
  labels?: (string | { name: string; color?: string })[];
  priority?: "low" | "medium" | "high";
}

/** Data of a map. */
export interface MapData {
  title: string;
  description?: string;
  points?: MapPoint[];
  areas?: MapArea[];
  legend?: { title?: string; unit?: string };
}

/** Point on a map, in degrees. */
export interface MapPoint {
  label: string;
  lat: number;
  lon: number;
  value?: number;
  color?: string;
}

/** Area of a map by its code in ISO 3166. */
export interface MapArea {
  code: string;
  value: number;
  label?: string;
}

/** Data of a difference. */
export interface DiffData {
  title: string;
  field?: string;
  current: unknown;
  suggested: unknown;
}

/** Data of a Markdown text. */
export interface MarkdownData {
  text: string;
}

/** Data of a component that is not in the catalog. */
export interface CustomData {
  name: string;
  version?: string;
  props: Record<string, unknown>;
  fallback: string;
}

/** Size and position of a component. */
export interface ComponentLayout {
  width?: "full" | "half" | "third";
  height?: string;
  position?: "inline" | "modal" | "sidebar";
}

/** Data by the name of the component. */
export interface ComponentDataMap {
  chart: ChartData;
  table: TableData;
  card: CardData;
  form: FormData;
  list: ListData;
  timeline: TimelineData;
  calendar: CalendarData;
  kanban: KanbanData;
  map: MapData;
  diff: DiffData;
  markdown: MarkdownData;
  custom: CustomData;
}

/** Name of a component. */
export type ComponentName = keyof ComponentDataMap;

/** Payload of a message with a component. It may come from any agent, so nothing in it is certain. */
export interface UIPayload {
  component: ComponentName | (string & {});
  data: unknown;
  layout?: ComponentLayout;
}

/** Action that a person may choose. */
export interface SuggestedAction {
  id: string;
  label: string;
  description?: string;
  icon?: string;
  params?: Record<string, unknown>;
  /** JSON Schema of the parameters; without one they cannot be edited. */
  paramsSchema?: Record<string, unknown>;
  confirmationRequired?: boolean;
  confirmationMessage?: string;
  destructive?: boolean;
  /** Time after which it can no longer be chosen, in milliseconds since 1970. */
  expiresAt?: number;
  undoable?: boolean;
}

/** State of an action. */
export type ActionState =
  | "suggested"
  | "confirmed"
  | "running"
  | "done"
  | "failed"
  | "expired"
  | "undone";

/** Execution of an action. */
export interface ActionExecution {
  actionId: string;
  state: ActionState;
  result?: unknown;
  error?: string;
}

/** Request for fields of the application's state. */
export interface ContextRequest {
  fields: string[];
  reason: string;
  optional?: boolean;
}

/** Error that an agent reports. */
export interface AgentErrorData {
  message: string;
  code?: string;
  recoverable?: boolean;
  retryable?: boolean;
  details?: unknown;
}

/** Choice of an action by the person. */
export interface ChosenAction {
  actionId: string;
  params: Record<string, unknown> | undefined;
  isConfirmed: boolean;
}

/**
 * Executes an action. It rejects if the action was refused; an error with `fieldErrors` marks the fields of a form.
 */
export type ActionHandler = (action: ChosenAction) => Promise<void> | void;

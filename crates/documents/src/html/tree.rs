//! The tree of a page, in one list of nodes that refer to each other by number.
//!
//! Whatever the depth, nothing here recurses. The parser's own work is bounded by counting what it asks
//! for: overlapping elements make it look through all open elements for every tag.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{
    ElemName, ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::elements;
use super::feed::{PIECE, TokenFeed};
use crate::error::DocumentError;
use crate::read::ReadLimits;

/// The number of a node.
pub(super) type Id = u32;

const NONE: Id = Id::MAX;
const ROOT: Id = 0;

/// Steps that the parser may take for each byte,
const STEPS_PER_BYTE: u64 = 32;
/// and once for all.
const STEPS: u64 = 100_000_000;

/// What a node is.
#[derive(Debug)]
pub(super) enum NodeContent {
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
    /// The page, contents of templates, comments.
    Other,
}

#[derive(Debug)]
struct TreeNode {
    content: NodeContent,
    parent: Id,
    previous: Id,
    next: Id,
    first: Id,
    last: Id,
    /// When it was put where it is; what is moved later keeps the depths below it.
    depth: u32,
    /// The contents of a template, or [`NONE`].
    inside: Id,
    integration_point: bool,
}

impl TreeNode {
    fn new(content: NodeContent) -> Self {
        Self {
            content,
            parent: NONE,
            previous: NONE,
            next: NONE,
            first: NONE,
            last: NONE,
            depth: 0,
            inside: NONE,
            integration_point: false,
        }
    }
}

/// The tree of a page.
#[derive(Debug)]
pub(super) struct HtmlTree {
    nodes: Vec<TreeNode>,
}

/// A step through a tree.
#[derive(Debug, Clone, Copy)]
pub(super) enum TreeStep<'t> {
    Enter(&'t QualName, &'t [Attribute]),
    Leave,
    Text(&'t str),
}

impl HtmlTree {
    /// Parses a page.
    pub(super) fn parse(text: &str, limits: &ReadLimits) -> Result<Self, DocumentError> {
        let options = TreeBuilderOpts {
            scripting_enabled: true,
            ..TreeBuilderOpts::default()
        };
        let mut feed = TokenFeed::new(TreeBuilder::new(HtmlTreeSink::new(), options));
        feed.read(&StrTendril::from(text), |builder, read| {
            builder.sink.check(limits, read as u64)?;
            // Every tag may cost as much as the depth.
            let depth = builder.sink.deepest.get() as usize;
            Ok((PIECE * 64 / depth.max(64)).max(64))
        })?;
        let sink = feed.finish().sink;
        sink.check(limits, text.len() as u64)?;
        Ok(sink.tree.into_inner())
    }

    /// Walks through the tree in order. `step` says whether to go into the element it was given.
    pub(super) fn walk<'t, E>(
        &'t self,
        mut step: impl FnMut(TreeStep<'t>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut at = self.nodes[ROOT as usize].first;
        while at != NONE {
            let node = &self.nodes[at as usize];
            let inside = match &node.content {
                NodeContent::Element(name, attributes) => step(TreeStep::Enter(name, attributes))?,
                NodeContent::Text(text) => {
                    step(TreeStep::Text(text))?;
                    false
                }
                NodeContent::Other => false,
            };
            if inside && node.first != NONE {
                at = node.first;
                continue;
            }
            if inside {
                step(TreeStep::Leave)?;
            }
            at = self.after(at, &mut step)?;
        }
        Ok(())
    }

    /// The node after a node and all that is in it; leaves the elements that end there.
    fn after<'t, E>(
        &'t self,
        mut at: Id,
        step: &mut impl FnMut(TreeStep<'t>) -> Result<bool, E>,
    ) -> Result<Id, E> {
        loop {
            let node = &self.nodes[at as usize];
            if node.next != NONE {
                return Ok(node.next);
            }
            at = node.parent;
            if at == NONE || at == ROOT {
                return Ok(NONE);
            }
            step(TreeStep::Leave)?;
        }
    }

    fn add(&mut self, content: NodeContent) -> Id {
        let id = Id::try_from(self.nodes.len()).unwrap_or(NONE - 1);
        self.nodes.push(TreeNode::new(content));
        id
    }

    fn node(&mut self, id: Id) -> &mut TreeNode {
        &mut self.nodes[id as usize]
    }

    fn detach(&mut self, id: Id) {
        let TreeNode {
            parent,
            previous,
            next,
            ..
        } = *self.node(id);
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.node(parent).first = next,
            previous => self.node(previous).next = next,
        }
        match next {
            NONE => self.node(parent).last = previous,
            next => self.node(next).previous = previous,
        }
        let node = self.node(id);
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }

    /// Puts a node before another of the same parent, or at the end; its depth.
    fn attach(&mut self, id: Id, parent: Id, before: Id) -> u32 {
        let previous = match before {
            NONE => self.node(parent).last,
            before => self.node(before).previous,
        };
        match previous {
            NONE => self.node(parent).first = id,
            previous => self.node(previous).next = id,
        }
        match before {
            NONE => self.node(parent).last = id,
            before => self.node(before).previous = id,
        }
        let depth = self.node(parent).depth.saturating_add(1);
        let node = self.node(id);
        (node.parent, node.previous, node.next, node.depth) = (parent, previous, before, depth);
        depth
    }

    /// The same with what the parser hands over; text joins the text before it.
    fn insert(&mut self, child: NodeOrText<Id>, parent: Id, before: Id) -> u32 {
        let id = match child {
            NodeOrText::AppendNode(id) => {
                self.detach(id);
                id
            }
            NodeOrText::AppendText(text) => {
                let previous = match before {
                    NONE => self.node(parent).last,
                    before => self.node(before).previous,
                };
                if let Some(node) = self.nodes.get_mut(previous as usize)
                    && let NodeContent::Text(there) = &mut node.content
                {
                    there.push_tendril(&text);
                    return 0;
                }
                self.add(NodeContent::Text(text))
            }
        };
        self.attach(id, parent, before)
    }
}

/// What the parser builds the tree with.
struct HtmlTreeSink {
    tree: RefCell<HtmlTree>,
    deepest: Cell<u32>,
    steps: Cell<u64>,
}

impl HtmlTreeSink {
    fn new() -> Self {
        let mut tree = HtmlTree { nodes: Vec::new() };
        tree.add(NodeContent::Other);
        Self {
            tree: RefCell::new(tree),
            deepest: Cell::new(0),
            steps: Cell::new(0),
        }
    }

    fn check(&self, limits: &ReadLimits, fed: u64) -> Result<(), DocumentError> {
        if self.deepest.get() as usize > limits.nesting {
            Err(DocumentError::TooDeep {
                limit: limits.nesting,
            })
        } else if self.tree.borrow().nodes.len() > limits.elements {
            Err(DocumentError::TooManyElements {
                limit: limits.elements,
            })
        } else if self.steps.get() > STEPS + STEPS_PER_BYTE * fed {
            Err(DocumentError::Tangled)
        } else {
            Ok(())
        }
    }

    fn insert(&self, child: NodeOrText<Id>, parent: Id, before: Id) {
        let depth = self.tree.borrow_mut().insert(child, parent, before);
        self.deepest.set(self.deepest.get().max(depth));
    }

    /// A formatting element is compared with all that are open, attribute by attribute.
    fn count_formatting(&self, attributes: usize) {
        let free = if attributes > 16 { 0 } else { 128 };
        let open = u64::from(self.deepest.get()).saturating_sub(free);
        self.count(open * (4 + 8 * attributes as u64));
    }

    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }
}

/// The name of an element. It does not borrow the tree, which may change while the parser holds it.
#[derive(Debug, Default)]
struct ElementName(Namespace, LocalName);

impl ElemName for ElementName {
    fn ns(&self) -> &Namespace {
        &self.0
    }

    fn local_name(&self) -> &LocalName {
        &self.1
    }
}

impl TreeSink for HtmlTreeSink {
    type Handle = Id;
    type Output = Self;
    type ElemName<'a> = ElementName;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Id {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a Id) -> ElementName {
        self.count(1);
        match &self.tree.borrow().nodes[*target as usize].content {
            NodeContent::Element(name, _) => ElementName(name.ns.clone(), name.local.clone()),
            NodeContent::Text(_) | NodeContent::Other => ElementName::default(),
        }
    }

    fn create_element(
        &self,
        name: QualName,
        mut attributes: Vec<Attribute>,
        flags: ElementFlags,
    ) -> Id {
        if elements::is_formatting(&name) {
            self.count_formatting(attributes.len());
        }
        attributes.retain(|attribute| elements::matters(&name, attribute));
        attributes.shrink_to_fit();
        let mut tree = self.tree.borrow_mut();
        let id = tree.add(NodeContent::Element(name, attributes));
        if flags.template {
            tree.node(id).inside = tree.add(NodeContent::Other);
        }
        tree.node(id).integration_point = flags.mathml_annotation_xml_integration_point;
        id
    }

    fn create_comment(&self, _: StrTendril) -> Id {
        self.tree.borrow_mut().add(NodeContent::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Id {
        self.tree.borrow_mut().add(NodeContent::Other)
    }

    fn append(&self, parent: &Id, child: NodeOrText<Id>) {
        self.insert(child, *parent, NONE);
    }

    fn append_based_on_parent_node(&self, element: &Id, previous: &Id, child: NodeOrText<Id>) {
        if self.tree.borrow_mut().node(*element).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &Id) -> Id {
        match self.tree.borrow_mut().node(*target).inside {
            NONE => *target,
            inside => inside,
        }
    }

    fn same_node(&self, one: &Id, other: &Id) -> bool {
        self.count(1);
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Id, child: NodeOrText<Id>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.tree.borrow_mut().detach(*id);
        }
        let parent = self.tree.borrow_mut().node(*sibling).parent;
        if parent != NONE {
            self.insert(child, parent, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &Id, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        if let NodeContent::Element(name, present) = &mut tree.node(*target).content {
            for attribute in attributes {
                if elements::matters(name, &attribute)
                    && !present.iter().any(|there| there.name == attribute.name)
                {
                    present.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &Id) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &Id, new_parent: &Id) {
        let mut tree = self.tree.borrow_mut();
        loop {
            let child = tree.node(*node).first;
            if child == NONE {
                break;
            }
            self.count(1);
            tree.detach(child);
            let depth = tree.attach(child, *new_parent, NONE);
            self.deepest.set(self.deepest.get().max(depth));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &Id) -> bool {
        self.tree.borrow_mut().node(*handle).integration_point
    }
}

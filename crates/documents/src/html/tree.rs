//! Tree of a page: a list of nodes that refer to each other by number.
//!
//! Nothing here recurses, so depth costs no stack. The work of the parser is bounded by counting its steps:
//! overlapping elements make it search all open elements for every tag.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{
    ElemName, ElementFlags, NodeOrText, QuirksMode, TreeBuilder, TreeBuilderOpts, TreeSink,
};
use html5ever::{Attribute, LocalName, Namespace, QualName};

use super::elements;
use super::token_feed::{PIECE, TokenFeed};
use crate::error::DocumentError;
use crate::read_options::ReadLimits;

/// Number of a node.
pub(super) type NodeId = u32;

const NONE: NodeId = NodeId::MAX;
const ROOT: NodeId = 0;

/// Steps of the parser for each byte.
const STEPS_PER_BYTE: u64 = 32;
/// Steps of the parser for a file of any size.
const BASE_STEPS: u64 = 100_000_000;

/// Content of a node.
#[derive(Debug)]
pub(super) enum NodeContent {
    Element(QualName, Vec<Attribute>),
    Text(StrTendril),
    /// Root, contents of a template, or a comment.
    Other,
}

/// Node of the tree.
#[derive(Debug)]
struct TreeNode {
    content: NodeContent,
    parent: NodeId,
    previous: NodeId,
    next: NodeId,
    first: NodeId,
    last: NodeId,
    /// Depth at the time of insertion; nodes below one that moves later keep theirs.
    depth: u32,
    /// Contents of a template, or [`NONE`].
    inside: NodeId,
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

/// Tree of a page.
#[derive(Debug)]
pub(super) struct HtmlTree {
    nodes: Vec<TreeNode>,
}

/// Step through a tree.
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
            // Every tag may cost steps in proportion to the depth.
            let depth = builder.sink.deepest.get() as usize;
            Ok((PIECE * 64 / depth.max(64)).max(64))
        })?;
        let sink = feed.finish().sink;
        sink.check(limits, text.len() as u64)?;
        Ok(sink.tree.into_inner())
    }

    /// Walks through the tree in order. `step` returns true to enter the element it was given.
    pub(super) fn walk<'t, E>(
        &'t self,
        mut step: impl FnMut(TreeStep<'t>) -> Result<bool, E>,
    ) -> Result<(), E> {
        let mut at = self.nodes[ROOT as usize].first;
        while at != NONE {
            let node = &self.nodes[at as usize];
            let enters = match &node.content {
                NodeContent::Element(name, attributes) => step(TreeStep::Enter(name, attributes))?,
                NodeContent::Text(text) => {
                    step(TreeStep::Text(text))?;
                    false
                }
                NodeContent::Other => false,
            };
            if enters && node.first != NONE {
                at = node.first;
                continue;
            }
            if enters {
                step(TreeStep::Leave)?;
            }
            at = self.next_after(at, &mut step)?;
        }
        Ok(())
    }

    /// Returns the node after a node and its descendants. Leaves the elements that end there.
    fn next_after<'t, E>(
        &'t self,
        mut at: NodeId,
        step: &mut impl FnMut(TreeStep<'t>) -> Result<bool, E>,
    ) -> Result<NodeId, E> {
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

    fn add(&mut self, content: NodeContent) -> NodeId {
        let id = NodeId::try_from(self.nodes.len()).unwrap_or(NONE - 1);
        self.nodes.push(TreeNode::new(content));
        id
    }

    fn node(&mut self, id: NodeId) -> &mut TreeNode {
        &mut self.nodes[id as usize]
    }

    fn detach(&mut self, id: NodeId) {
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

    /// Inserts a node before another of the same parent, or at the end. Returns its depth.
    fn attach(&mut self, id: NodeId, parent: NodeId, before: NodeId) -> u32 {
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

    /// Inserts a node or a text; text is appended to a text before it. Returns the depth.
    fn insert(&mut self, child: NodeOrText<NodeId>, parent: NodeId, before: NodeId) -> u32 {
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

/// Sink with which the parser builds the tree.
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
        } else if self.steps.get() > BASE_STEPS + STEPS_PER_BYTE * fed {
            Err(DocumentError::Tangled)
        } else {
            Ok(())
        }
    }

    fn insert(&self, child: NodeOrText<NodeId>, parent: NodeId, before: NodeId) {
        let depth = self.tree.borrow_mut().insert(child, parent, before);
        self.deepest.set(self.deepest.get().max(depth));
    }

    /// Counts the steps for a formatting element, which is compared with all open ones, attribute by attribute.
    fn count_formatting(&self, attributes: usize) {
        let free = if attributes > 16 { 0 } else { 128 };
        let open = u64::from(self.deepest.get()).saturating_sub(free);
        self.count(open * (4 + 8 * attributes as u64));
    }

    fn count(&self, steps: u64) {
        self.steps.set(self.steps.get().saturating_add(steps));
    }
}

/// Name of an element. It does not borrow the tree, which may change while the parser holds the name.
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
    type Handle = NodeId;
    type Output = Self;
    type ElemName<'a> = ElementName;

    fn finish(self) -> Self {
        self
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> ElementName {
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
    ) -> NodeId {
        if elements::is_formatting(&name) {
            self.count_formatting(attributes.len());
        }
        attributes.retain(|attribute| elements::is_used(&name, attribute));
        attributes.shrink_to_fit();
        let mut tree = self.tree.borrow_mut();
        let id = tree.add(NodeContent::Element(name, attributes));
        if flags.template {
            tree.node(id).inside = tree.add(NodeContent::Other);
        }
        tree.node(id).integration_point = flags.mathml_annotation_xml_integration_point;
        id
    }

    fn create_comment(&self, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(NodeContent::Other)
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> NodeId {
        self.tree.borrow_mut().add(NodeContent::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        self.insert(child, *parent, NONE);
    }

    fn append_based_on_parent_node(
        &self,
        element: &NodeId,
        previous: &NodeId,
        child: NodeOrText<NodeId>,
    ) {
        if self.tree.borrow_mut().node(*element).parent == NONE {
            self.append(previous, child);
        } else {
            self.append_before_sibling(element, child);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        match self.tree.borrow_mut().node(*target).inside {
            NONE => *target,
            inside => inside,
        }
    }

    fn same_node(&self, one: &NodeId, other: &NodeId) -> bool {
        self.count(1);
        one == other
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, child: NodeOrText<NodeId>) {
        if let NodeOrText::AppendNode(id) = &child {
            self.tree.borrow_mut().detach(*id);
        }
        let parent = self.tree.borrow_mut().node(*sibling).parent;
        if parent != NONE {
            self.insert(child, parent, *sibling);
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<Attribute>) {
        let mut tree = self.tree.borrow_mut();
        if let NodeContent::Element(name, present) = &mut tree.node(*target).content {
            for attribute in attributes {
                if elements::is_used(name, &attribute)
                    && !present.iter().any(|there| there.name == attribute.name)
                {
                    present.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.tree.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
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

    fn is_mathml_annotation_xml_integration_point(&self, handle: &NodeId) -> bool {
        self.tree.borrow_mut().node(*handle).integration_point
    }
}

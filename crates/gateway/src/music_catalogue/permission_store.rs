//! Permissions of rights holders, and the log of their checks.

use attribution::{
    PermissionAnswer, PermissionAuditEntry, PermissionBundle, PermissionRequest, check_delegation,
    check_permission, derived_id, validate_bundle,
};
use store::{Principal, StoreError};

use super::{CatalogueError, CatalogueResult, MusicCatalogue, PERMISSION, PERMISSION_AUDIT, write};

impl MusicCatalogue {
    /// Checks a permission. Every check is logged, also one without any bundle.
    pub async fn check_permission(
        &self,
        principal: &Principal,
        request: &PermissionRequest,
    ) -> CatalogueResult<PermissionAnswer> {
        let bundles: Vec<PermissionBundle> = self.all(principal, PERMISSION).await?;
        let answer = check_permission(&bundles, request, self.now());
        let entry = PermissionAuditEntry {
            audit_id: (self.new_id)(),
            permission_id: answer.permission_id.clone(),
            entity_id: request.entity_id.clone(),
            requester_id: request.requester_id.clone(),
            requester_type: request
                .requester_type
                .clone()
                .unwrap_or_else(|| "unknown".to_owned()),
            permission_type: request.permission_type,
            result: answer.result,
            reasons: answer.reasons.clone(),
            request_context: serde_json::json!({
                "scope_entity_id": request.scope_entity_id,
                "territory": request.territory,
                "at": request.at,
                "context": request.context,
            }),
            checked_at: self.now_text(),
        };
        self.put(
            principal,
            vec![write(PERMISSION_AUDIT, &entry.audit_id, 1, Some(0), &entry)],
        )
        .await?;
        Ok(answer)
    }

    /// Returns the bundles of a rights holder.
    pub async fn permissions(
        &self,
        principal: &Principal,
        entity: &str,
    ) -> CatalogueResult<Vec<PermissionBundle>> {
        let bundles: Vec<PermissionBundle> = self.all(principal, PERMISSION).await?;
        Ok(bundles
            .into_iter()
            .filter(|bundle| bundle.entity_id == entity)
            .collect())
    }

    /// Stores a bundle of a rights holder. A change must name the version that it replaces; a new bundle has version 0.
    pub async fn put_permissions(
        &self,
        principal: &Principal,
        entity: &str,
        mut bundle: PermissionBundle,
    ) -> CatalogueResult<PermissionBundle> {
        entity.clone_into(&mut bundle.entity_id);
        let invalid = |error: attribution::BundleError| CatalogueError::Invalid(error.to_string());
        validate_bundle(&bundle).map_err(invalid)?;
        if bundle.permission_id.is_empty() {
            let scope = bundle.scope_entity_id.as_deref().unwrap_or_default();
            bundle.permission_id = derived_id(&format!(
                "permission\n{entity}\n{}\n{scope}",
                bundle.scope.as_str()
            ));
        }
        let stored: Option<PermissionBundle> = self
            .find(principal, PERMISSION, &bundle.permission_id)
            .await?;
        // The chain that is stored says who may change it, not the one that the author sends.
        let author = bundle.created_by.clone();
        check_delegation(stored.as_ref().unwrap_or(&bundle), &author).map_err(invalid)?;
        let seen = bundle.version;
        let current = stored.map_or(0, |stored| stored.version);
        if seen != current {
            return Err(CatalogueError::Stale {
                id: bundle.permission_id,
                current,
                seen,
            });
        }
        bundle.version = seen + 1;
        bundle.updated_at = self.now_text();
        let change = write(
            PERMISSION,
            &bundle.permission_id,
            bundle.version,
            Some(seen),
            &bundle,
        );
        match self.put(principal, vec![change]).await {
            Ok(_) => Ok(bundle),
            Err(CatalogueError::Store(StoreError::Conflict { .. })) => Err(CatalogueError::Stale {
                id: bundle.permission_id,
                current: seen + 1,
                seen,
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns the log of checks, the newest first, with the number of all.
    pub async fn permission_audit(
        &self,
        principal: &Principal,
        offset: usize,
        limit: usize,
    ) -> CatalogueResult<(Vec<PermissionAuditEntry>, usize)> {
        let mut entries: Vec<PermissionAuditEntry> = self.all(principal, PERMISSION_AUDIT).await?;
        entries.reverse();
        let total = entries.len();
        Ok((
            entries.into_iter().skip(offset).take(limit).collect(),
            total,
        ))
    }
}

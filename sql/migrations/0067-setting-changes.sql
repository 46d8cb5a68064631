-- When a setting was last changed, by whom, without reading the audit of everything else.
CREATE INDEX audit_of_setting ON settled.audit (target COLLATE "C", id) WHERE command = 'set';

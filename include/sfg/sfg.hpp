#pragma once

// Everything, in the order in which the data go through it: a table of contents.

// What all stages speak of.
#include "sfg/buffer.hpp"
#include "sfg/error.hpp"
#include "sfg/matrix.hpp"
#include "sfg/note.hpp"
#include "sfg/options.hpp"
#include "sfg/run_context.hpp"
#include "sfg/statistics.hpp"
#include "sfg/text.hpp"
#include "sfg/version.hpp"

// Files in.
#include "sfg/dataset.hpp"
#include "sfg/files.hpp"
#include "sfg/fingerprint.hpp"
#include "sfg/read.hpp"
#include "sfg/survey.hpp"

// The method: features -> descriptions -> graph -> groups -> what is kept.
#include "sfg/baseline.hpp"
#include "sfg/batch.hpp"
#include "sfg/certificate.hpp"
#include "sfg/checkpoint.hpp"
#include "sfg/combination.hpp"
#include "sfg/compact.hpp"
#include "sfg/cover.hpp"
#include "sfg/drift.hpp"
#include "sfg/equations.hpp"
#include "sfg/fill.hpp"
#include "sfg/gaps.hpp"
#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/journal.hpp"
#include "sfg/level.hpp"
#include "sfg/members.hpp"
#include "sfg/model.hpp"
#include "sfg/neighbours.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pairwise.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/predict.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/reduce.hpp"
#include "sfg/shared.hpp"
#include "sfg/target.hpp"

// What is done with the kept features.
#include "sfg/classify.hpp"
#include "sfg/cluster.hpp"
#include "sfg/embed.hpp"
#include "sfg/score.hpp"
#include "sfg/select.hpp"

// Comparing, telling, writing.
#include "sfg/check.hpp"
#include "sfg/compare.hpp"
#include "sfg/experiment.hpp"
#include "sfg/experiment_journal.hpp"
#include "sfg/output_files.hpp"
#include "sfg/published.hpp"
#include "sfg/report.hpp"
#include "sfg/synth.hpp"
#include "sfg/transform.hpp"
#include "sfg/verdict.hpp"
#include "sfg/write.hpp"

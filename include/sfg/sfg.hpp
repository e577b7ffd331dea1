#pragma once

// Everything, in the order in which data pass through.
#include "sfg/dataset.hpp"
#include "sfg/error.hpp"
#include "sfg/graph.hpp"
#include "sfg/groups.hpp"
#include "sfg/matrix.hpp"
#include "sfg/model.hpp"
#include "sfg/normalise.hpp"
#include "sfg/pipeline.hpp"
#include "sfg/pursuit.hpp"
#include "sfg/read.hpp"
#include "sfg/reduce.hpp"
#include "sfg/run.hpp"
#include "sfg/select.hpp"
#include "sfg/synth.hpp"
#include "sfg/version.hpp"
#include "sfg/write.hpp"
